import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { autoscalingFlags, autoscalingTimesFrom } from './autoscaling-flags.ts';
import { defineCommand, type Command } from './command.ts';
import { choice, ipNetwork, text, wholeNumber } from './flag-values.ts';
import { flagWithDefault, optionalFlag, switchFlag } from './flag.ts';
import { writeKubeconfig } from './kubeconfig.ts';
import { serve } from './serve.ts';
import { clusterOptionsFrom, serverFlags, type ServerFlagValues } from './server-flags.ts';
import { UsageError } from './usage-error.ts';

const defaultPodNetwork = 'auto';

const componentFlags = {
  serviceClusterIpRange: optionalFlag('service-cluster-ip-range', ipNetwork, {
    section: 'Services',
    help: 'Network that services get their addresses from. Those within 127.0.0.0/8 can be reached on this machine without root, but not by pods with networks of their own.',
    shows:
      'that of the data directory; 127.128.0.0/16, or a part of 198.19.0.0/16 where pods have networks of their own, for a new one',
  }),
  controllers: switchFlag(
    'controllers',
    { section: 'Components', help: 'Run controllers and scheduler in this process.', shows: 'true' },
    true,
  ),
  nodes: flagWithDefault('nodes', wholeNumber({ min: 0, max: 10_000 }), '1', {
    section: 'Components',
    help: 'Nodes to run in this process; 0 for none.',
  }),
  runtime: flagWithDefault('runtime', choice(['process', 'simulated']), 'process', {
    section: 'Components',
    help: 'What runs pods: processes of this machine, which then is the one node; simulated only pretends to, as the annotations of the pods say.',
  }),
  imageMap: optionalFlag('image-map', text('FILE'), {
    section: 'Components',
    help: 'What images stand for, where pods are processes; read again when it changes.',
  }),
  podNetwork: flagWithDefault('pod-network', choice(['auto', 'veth', 'loopback']), defaultPodNetwork, {
    section: 'Components',
    help: 'How pods that are processes get addresses: loopback gives each one of this machine, veth a network of its own, for which it takes root; auto is veth where that works and pods then reach other machines.',
  }),
};

export const up: Command = defineCommand({
  name: 'up',
  summary: 'start a cluster in this process and write a kubeconfig file for it',
  description:
    'Starts a cluster in this process and writes a kubeconfig file for it. When it is ready, prints the line that points kubectl at it. Controllers, scheduler and nodes run in the same process.',
  flags: { ...serverFlags, ...componentFlags, ...autoscalingFlags },
  async run(values, terminal) {
    const { controllers, nodes: count, runtime, imageMap, podNetwork } = values;
    if (podNetwork === 'veth' && (runtime !== 'process' || count === 0)) {
      throw new UsageError(['--pod-network veth goes with a node whose --runtime is process']);
    }
    const autoscaling = autoscalingTimesFrom(values);
    const components = { controllers, autoscaling, nodes: { count, runtime, imageMap, podNetwork } };
    await serve({ values, components, terminal }, async ({ admin }) => {
      const { file, passingDirectory } = await chooseKubeconfig(values);
      await writeKubeconfig(file, admin);
      return {
        line: `export KUBECONFIG=${shellQuote(file)}  # ${admin.server}`,
        cleanUp: async () => {
          if (passingDirectory !== undefined) await rm(passingDirectory, { recursive: true, force: true });
        },
      };
    });
  },
});

interface KubeconfigChoice {
  readonly file: string;
  /** Removed at the end. */
  readonly passingDirectory?: string;
}

/** The file asked for, or one in the data directory, or a passing one for a cluster that passes too. */
async function chooseKubeconfig(values: ServerFlagValues): Promise<KubeconfigChoice> {
  if (values.kubeconfig !== undefined) return { file: resolve(values.kubeconfig) };
  const { storage } = clusterOptionsFrom(values);
  if (storage && storage.make !== 'memory') return { file: join(storage.directory, 'kubeconfig') };
  const passingDirectory = await mkdtemp(join(tmpdir(), 'wherry-'));
  return { file: join(passingDirectory, 'kubeconfig'), passingDirectory };
}

function shellQuote(path: string): string {
  return /^[-\w./:@+]+$/.test(path) ? path : `'${path.replaceAll("'", String.raw`'\''`)}'`;
}
