import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { defineCommand, type Command } from './command.ts';
import { wholeNumber, text } from './flag-values.ts';
import { optionalFlag } from './flag.ts';
import { writeKubeconfig } from './kubeconfig.ts';
import { serve } from './serve.ts';
import { clusterOptionsFrom, serverFlags, type ServerFlagValues } from './server-flags.ts';
import { UsageError } from './usage-error.ts';

// Nodes do not exist yet: the flags are understood so that they can be answered honestly.
const nodeFlags = {
  nodes: optionalFlag('nodes', wholeNumber({ min: 0, max: 10_000 }), { section: 'Nodes', help: '', hidden: true }),
  runtime: optionalFlag('runtime', text('NAME'), { section: 'Nodes', help: '', hidden: true }),
};

export const up: Command = defineCommand({
  name: 'up',
  summary: 'start a cluster in this process and write a kubeconfig file for it',
  description:
    'Starts a cluster in this process and writes a kubeconfig file for it. When it is ready, prints the line that points kubectl at it. Controllers, scheduler and nodes are not there yet: objects are kept and watched, but nothing acts on them.',
  flags: { ...serverFlags, ...nodeFlags },
  async run(values, terminal) {
    if (values.nodes) throw new UsageError([`--nodes ${values.nodes}: there are no nodes yet; only --nodes 0 works`]);
    if (values.runtime !== undefined)
      throw new UsageError(['--runtime: there are no nodes yet that could run anything']);
    await serve(values, terminal, async ({ admin }) => {
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
  if (storage?.make === 'lmdb') return { file: join(storage.directory, 'kubeconfig') };
  const passingDirectory = await mkdtemp(join(tmpdir(), 'wherry-'));
  return { file: join(passingDirectory, 'kubeconfig'), passingDirectory };
}

function shellQuote(path: string): string {
  return /^[-\w./:@+]+$/.test(path) ? path : `'${path.replaceAll("'", String.raw`'\''`)}'`;
}
