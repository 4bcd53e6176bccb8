import { once } from 'node:events';
import { hostname } from 'node:os';
import { defineCommand, type Command } from './command.ts';
import { componentFlags, openComponentParts } from './component-flags.ts';
import { choice, text, wholeNumber } from './flag-values.ts';
import { flagWithDefault, optionalFlag } from './flag.ts';

const nodeFlags = {
  runtime: flagWithDefault('runtime', choice(['simulated']), 'simulated', {
    section: 'Node',
    help: 'What runs pods: simulated pretends to.',
  }),
  count: flagWithDefault('count', wholeNumber({ min: 1, max: 10_000 }), '1', {
    section: 'Node',
    help: 'How many simulated nodes there are to be.',
  }),
  name: optionalFlag('name', text('NAME'), {
    section: 'Node',
    help: 'What the nodes are called: NAME-1, NAME-2 and so on.',
    shows: 'the name of this machine',
  }),
};

export const node: Command = defineCommand({
  name: 'node',
  summary: 'join nodes to a server',
  description:
    'Joins nodes to a server. Simulated nodes lead the pods bound to them through their lives as the annotations of the pods say, without running anything.',
  flags: { ...componentFlags, ...nodeFlags },
  async run(values, terminal) {
    const parts = await openComponentParts(values, terminal);
    try {
      const { nodeNames, runSimulatedNodes } = await import('../node/simulated/run-simulated-nodes.ts');
      const names = nodeNames(values.count, values.name ?? hostname().toLowerCase());
      const run = runSimulatedNodes({ ...parts, names, signal: terminal.stop });
      await run.started;
      terminal.stdout.write(`joined ${names.length === 1 ? names[0] : `${names.length} nodes`}\n`);
      if (!terminal.stop.aborted) await once(terminal.stop, 'abort');
      await run.close();
    } finally {
      parts.client.close();
    }
  },
});
