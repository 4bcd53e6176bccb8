import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import type { TestContext } from 'node:test';
import type { Container } from '../../../kinds/core/pod/container.ts';
import type { Pod } from '../../../kinds/core/pod.ts';
import type { ContainerPlan, ExecProcess, LogOptions, RunningContainer, Runtime } from '../../runtime.ts';

/** Opens a runtime that keeps everything in a directory; again with the same one after the first was closed. */
export type OpenRuntime = (directory: string) => Promise<Runtime>;

export type ContainerWish = Partial<Container> & { readonly script?: string };
export type PlanWish = Partial<
  Pick<ContainerPlan, 'attempt' | 'environment' | 'mounts' | 'user' | 'groups' | 'mustNotBeRoot'>
>;

/** A runtime in a directory of its own; when the test is over, everything that it started is gone. */
export class RuntimeFixture {
  readonly directory: string;
  readonly #open: OpenRuntime;
  #runtime: Runtime;
  readonly #pods = new Map<string, Pod>();
  /** The clock's timers let the process end, which it must not while a test waits for one. */
  readonly #keepAlive = setInterval(() => {}, 1_000_000);

  private constructor(directory: string, open: OpenRuntime, runtime: Runtime) {
    this.directory = directory;
    this.#open = open;
    this.#runtime = runtime;
  }

  static async create(t: TestContext, open: OpenRuntime): Promise<RuntimeFixture> {
    const directory = await mkdtemp(join(tmpdir(), 'wherry-runtime-'));
    const fixture = new RuntimeFixture(directory, open, await open(join(directory, 'runtime')));
    t.after(() => fixture.#remove());
    return fixture;
  }

  get runtime(): Runtime {
    return this.#runtime;
  }

  /** As when the agent is stopped and started again. `meanwhile` happens while there is none. */
  async reopen(meanwhile: () => Promise<void> = () => Promise.resolve()): Promise<void> {
    await this.#runtime.close();
    await meanwhile();
    this.#runtime = await this.#open(join(this.directory, 'runtime'));
  }

  pod(name: string): Pod {
    const pod: Pod = {
      kind: 'Pod',
      apiVersion: 'v1',
      status: {},
      metadata: { namespace: 'default', name, uid: `uid-of-${name}` },
      spec: { containers: [] },
    };
    this.#pods.set(name, pod);
    return pod;
  }

  /** Starts a container of a pod; `script` is for a shell. */
  async start({ script, ...wish }: ContainerWish, plan: PlanWish = {}, podName = 'web'): Promise<RunningContainer> {
    const { metadata } = this.pod(podName);
    const place = await this.#runtime.preparePod(this.pod(podName));
    const command = script === undefined ? undefined : ['/bin/sh', '-c', script];
    const container: Container = { name: 'main', image: 'busybox', terminationMessagePath: '/dev/termination-log', ...(command && { command }), ...wish }; // prettier-ignore
    return this.#runtime.start({
      pod: { namespace: metadata.namespace!, name: metadata.name!, uid: metadata.uid! },
      place,
      container,
      image: await this.#runtime.pull(container),
      attempt: 0,
      environment: {},
      command: container.command ?? [],
      args: container.args ?? [],
      mounts: [],
      ...plan,
    });
  }

  /** The one container that there is. */
  async only(): Promise<RunningContainer> {
    const [container, ...others] = await this.#runtime.list();
    if (!container || others.length > 0) throw new Error(`there are ${others.length + (container ? 1 : 0)} containers`);
    return container;
  }

  async #remove(): Promise<void> {
    for (const container of await this.#runtime.list()) await container.stop(0);
    for (const { metadata } of this.#pods.values()) {
      await this.#runtime.releasePod({ namespace: metadata.namespace!, name: metadata.name!, uid: metadata.uid! });
    }
    await this.#runtime.close();
    clearInterval(this.#keepAlive);
    await rm(this.directory, { recursive: true, force: true });
  }
}

/** What a shell runs until it is stopped. */
export const idle = 'exec sleep 1000';

/** Numbers in order, each in a line. */
export function numberLines(to: number, from = 1): string {
  return Array.from({ length: to - from + 1 }, (_, i) => `${from + i}\n`).join('');
}

/** The log of a container. */
export async function logOf(container: RunningContainer, options: Partial<LogOptions> = {}): Promise<string> {
  return text(await container.logs({ follow: false, timestamps: false, ...options }));
}

/** Waits until a container has written a line and nothing but that, however much comes before. */
export async function lineOf(container: RunningContainer, line: string | RegExp): Promise<string> {
  const log = await container.logs({ follow: true, timestamps: false });
  let rest = '';
  for await (const chunk of log) {
    const lines = `${rest}${String(chunk)}`.split('\n');
    rest = lines.pop() ?? '';
    const found = lines.find((candidate) => (typeof line === 'string' ? candidate === line : line.test(candidate)));
    if (found !== undefined) return found;
  }
  throw new Error(`the container ended without the line ${String(line)}`);
}

export interface ExecOutcome {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** Everything that a command writes, and how it ends. */
export async function outcomeOf(exec: ExecProcess): Promise<ExecOutcome> {
  const [code, stdout, stderr] = await Promise.all([
    exec.exitCode,
    text(exec.stdout),
    exec.stderr ? text(exec.stderr) : Promise.resolve(''),
  ]);
  return { code, stdout, stderr };
}
