import { once } from 'node:events';
import { hostNodeName } from '../cluster/host-node-name.ts';
import { defineCommand, type Command, type Terminal } from './command.ts';
import { componentFlags, openComponentParts, type ComponentParts } from './component-flags.ts';
import { choice, text, wholeNumber } from './flag-values.ts';
import { flagWithDefault, optionalFlag, type FlagValues } from './flag.ts';
import { processNodeFlags, processNodeSettings, refuseProcessFlags } from './process-node-flags.ts';
import { UsageError } from './usage-error.ts';

const nodeFlags = {
  runtime: flagWithDefault('runtime', choice(['process', 'simulated']), 'simulated', {
    section: 'Node',
    help: 'What runs pods: processes of this machine, which then is one node; simulated only pretends to, as the annotations of the pods say.',
  }),
  name: optionalFlag('name', text('NAME'), {
    section: 'Node',
    help: 'What the node is called; simulated ones are NAME-1, NAME-2 and so on.',
    shows: 'the name of this machine',
  }),
  count: flagWithDefault('count', wholeNumber({ min: 1, max: 10_000 }), '1', {
    section: 'Node',
    help: 'How many simulated nodes there are to be.',
  }),
};

const flags = { ...componentFlags, ...nodeFlags, ...processNodeFlags };
type NodeFlagValues = FlagValues<typeof flags>;

/** How often files and certificates are looked at: somebody who has replaced one does not wait long for it to be used. */
const pairLookMs = 60_000;

export const node: Command = defineCommand({
  name: 'node',
  summary: 'join nodes to a server',
  description:
    'Joins nodes to a server and prints one line when they are there. With --runtime process this machine is a node: pods bound to it are its processes. ' +
    'A machine can have several such nodes, each with a --name of its own, and one beside "wherry up": one of them opens the addresses of services for all, ' +
    'and another takes over when it is gone. Simulated nodes lead pods through their lives as the annotations of the pods say, without running anything.',
  flags,
  async run(values, terminal) {
    const isReal = values.runtime === 'process';
    if (!isReal) refuseProcessFlags(values);
    else if (values.count > 1) throw new UsageError(['--count: one machine is one node unless --runtime is simulated']);
    const parts = await openComponentParts(values, terminal);
    try {
      await (isReal ? runProcessNode(values, parts, terminal) : runSimulated(values, parts, terminal));
    } finally {
      parts.client.close();
    }
  },
});

async function runProcessNode(values: NodeFlagValues, parts: ComponentParts, terminal: Terminal): Promise<void> {
  const { stop, stdout } = terminal;
  const settings = await processNodeSettings(values, { ...parts, name: values.name ?? hostNodeName() });
  const { startProcessNode } = await import('../cluster/process-node.ts');
  const renewal = settings.pair.renewEvery(pairLookMs, parts);
  try {
    const running = await startProcessNode({
      ...parts,
      ...settings,
      keepPair: async () => settings.pair,
      signal: stop,
    });
    stdout.write(`joined ${settings.name}\n`);
    if (!stop.aborted) await once(stop, 'abort');
    await running.close();
  } catch (error) {
    // Whoever stops it while it waits for a server gets what was asked for.
    if (!stop.aborted || error !== stop.reason) throw error;
  } finally {
    renewal.cancel();
  }
}

async function runSimulated(values: NodeFlagValues, parts: ComponentParts, terminal: Terminal): Promise<void> {
  const { nodeNames, runSimulatedNodes } = await import('../node/simulated/run-simulated-nodes.ts');
  const names = nodeNames(values.count, values.name ?? hostNodeName());
  const { stop, stdout } = terminal;
  const run = runSimulatedNodes({ ...parts, names, signal: stop });
  try {
    await run.started;
    stdout.write(`joined ${names.length === 1 ? names[0] : `${names.length} nodes`}\n`);
    if (!stop.aborted) await once(stop, 'abort');
  } catch (error) {
    // Whoever stops them while they wait for a server gets what was asked for.
    if (!stop.aborted) throw error;
  } finally {
    await run.close();
  }
}
