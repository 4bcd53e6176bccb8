import { spawn, type ChildProcessByStdio } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import type { Readable } from 'node:stream';
import { writeKubeconfig } from '../../src/cli/kubeconfig.ts';
import type { ClusterOptions } from '../../src/cluster-options.ts';
import { startCluster } from '../../src/cluster.ts';
import { openUp } from './client-cluster.ts';

/** What a run of kubectl came to. */
export interface KubectlRun {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** A cluster in this process and a kubectl that talks to it, with a home of its own. */
export interface KubectlCluster {
  /** The home of kubectl. What tests put there goes with it. */
  readonly home: string;
  /** Runs kubectl; `input` is what `-f -` reads. */
  kubectl(
    args: readonly string[],
    input?: string | object,
    moreEnv?: Readonly<Record<string, string>>,
  ): Promise<KubectlRun>;
  /** As above for what must succeed; gives what was printed. */
  succeed(
    args: readonly string[],
    input?: string | object,
    moreEnv?: Readonly<Record<string, string>>,
  ): Promise<string>;
  /** Starts a kubectl that goes on until it is killed, such as `get -w`. */
  start(args: readonly string[]): ChildProcessByStdio<null, Readable, Readable>;
  /** Runs kubectl in a terminal of 30 rows and 100 columns, in which somebody types `input`. */
  inTerminal(args: readonly string[], input: string): Promise<KubectlRun>;
  close(): Promise<void>;
}

/** Starts both; `program` is the kubectl to run. */
export async function openKubectlCluster(program: string, options: ClusterOptions = {}): Promise<KubectlCluster> {
  const home = await mkdtemp(join(tmpdir(), 'kubectl-home-'));
  const cluster = await startCluster(options);
  const kubeconfig = join(home, 'config');
  await writeKubeconfig(kubeconfig, cluster.admin);
  return kubectlAt(program, home, () => cluster.close());
}

/** As above, with the cluster of `wherry up` in a process of its own, in memory and with one node whose pods are real. */
export async function openKubectlUp(program: string, args: readonly string[] = []): Promise<KubectlCluster> {
  const cluster = await openUp(args);
  return kubectlAt(program, dirname(cluster.kubeconfig), () => cluster.close());
}

/** A kubectl with the kubeconfig file `config` of its home, which goes with it. */
export function kubectlAt(program: string, home: string, closeCluster: () => Promise<void>): KubectlCluster {
  // What the machine's user has set is none of ours.
  const env = { PATH: process.env['PATH'] ?? '', HOME: home, KUBECONFIG: join(home, 'config') };
  const common = ['--cache-dir', join(home, 'cache')];
  const kubectl: KubectlCluster['kubectl'] = (args, input, moreEnv) =>
    run(program, { args: [...common, ...args], env: { ...env, ...moreEnv }, input });
  return {
    home,
    kubectl,
    async succeed(args, input, moreEnv) {
      const { code, stdout, stderr } = await kubectl(args, input, moreEnv);
      if (code !== 0) throw new Error(`kubectl ${args.join(' ')} ended with ${code}: ${stderr}`);
      return stdout;
    },
    start: (args) => spawn(program, [...common, ...args], { env, stdio: ['ignore', 'pipe', 'pipe'] }),
    inTerminal(args, input) {
      const command = [program, ...common, ...args].map((word) => `'${word.replaceAll("'", `'\\''`)}'`).join(' ');
      const sized = `stty rows 30 cols 100; exec ${command}`;
      return run('script', { args: ['-qec', sized, '/dev/null'], env, input });
    },
    async close() {
      await closeCluster();
      await rm(home, { recursive: true, force: true });
    },
  };
}

interface RunOptions {
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  readonly input?: string | object;
}

async function run(program: string, { args, env, input }: RunOptions): Promise<KubectlRun> {
  const child = spawn(program, args, { env, timeout: 60_000 });
  const output = { stdout: '', stderr: '' };
  child.stdout.setEncoding('utf8').on('data', (text: string) => (output.stdout += text));
  child.stderr.setEncoding('utf8').on('data', (text: string) => (output.stderr += text));
  child.stdin.on('error', () => {
    // A program that ends before it has read everything says why by itself.
  });
  child.stdin.end(typeof input === 'object' ? JSON.stringify(input) : (input ?? ''));
  return new Promise((resolve, reject) => {
    child.on('error', reject);
    child.on('close', (code) => resolve({ code, ...output }));
  });
}
