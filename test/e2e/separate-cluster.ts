import assert from 'node:assert/strict';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { parse, stringify } from 'yaml';
import { freePort } from './free-port.ts';
import { WherryProcess } from './wherry-process.ts';

export type Part = 'apiserver' | 'controllers' | 'node';

/** In the order in which they find each other at once. */
const allParts: readonly Part[] = ['apiserver', 'controllers', 'node'];

/** A cluster whose API server, controllers and node are processes of their own, which tests start and kill as they like. */
export class SeparateCluster {
  /** Everything that it keeps. */
  readonly directory: string;
  /** The administrator's kubeconfig file. */
  readonly kubeconfig: string;
  readonly nodeName = 'separate';
  readonly #ports: readonly [secure: number, plain: number];
  readonly #nodeArgs: readonly string[];
  readonly #running = new Map<Part, WherryProcess>();

  private constructor(directory: string, ports: readonly [number, number], nodeArgs: readonly string[]) {
    this.directory = directory;
    this.kubeconfig = join(directory, 'config');
    this.#ports = ports;
    this.#nodeArgs = nodeArgs;
  }

  /** Starts nothing yet. */
  static async create(directory: string, nodeArgs: readonly string[] = []): Promise<SeparateCluster> {
    await mkdir(directory, { recursive: true });
    const cluster = new SeparateCluster(directory, [await freePort(), await freePort()], nodeArgs);
    await writeFile(cluster.#tokenFile, `${nodeToken},system:node:${cluster.nodeName},1,"system:nodes"\n`);
    return cluster;
  }

  /** Where everything is allowed without TLS. */
  get plainUrl(): string {
    return `http://127.0.0.1:${this.#ports[1]}`;
  }

  /** Starts parts, one after the other; each has said its line when the next begins. */
  async start(...parts: readonly Part[]): Promise<void> {
    for (const part of parts.length === 0 ? allParts : parts) {
      assert.ok(!this.#running.has(part), `${part} runs already`);
      const started = new WherryProcess([part, ...(await this.#args(part))]);
      this.#running.set(part, started);
      if ((await started.firstLine) === undefined) throw new Error(`${part} failed: ${(await started.ended).stderr}`);
    }
  }

  /** Kills parts at the same moment, as no program can prevent. */
  async kill(...parts: readonly Part[]): Promise<void> {
    const killed = this.#take(parts);
    await Promise.all(killed.map((part) => part.stop('SIGKILL')));
  }

  /** Asks parts to end and sees to it that they do so in order. */
  async stop(...parts: readonly Part[]): Promise<void> {
    for (const part of this.#take(parts)) {
      const { code, stderr } = await part.stop();
      assert.equal(code, 0, stderr);
    }
  }

  #take(parts: readonly Part[]): WherryProcess[] {
    const taken = (parts.length === 0 ? [...this.#running.keys()] : parts).map((part) => [part, this.#running.get(part)] as const); // prettier-ignore
    for (const [part] of taken) this.#running.delete(part);
    return taken.flatMap(([, running]) => (running ? [running] : []));
  }

  async #args(part: Part): Promise<readonly string[]> {
    if (part === 'controllers') return ['--kubeconfig', this.kubeconfig];
    if (part === 'node') {
      const way = ['--kubeconfig', await this.#nodeKubeconfig(), '--name', this.nodeName];
      return [...way, '--runtime', 'process', '--data-dir', join(this.directory, 'node'), ...this.#nodeArgs];
    }
    const [secure, plain] = this.#ports;
    const ports = ['--secure-port', String(secure), '--insecure-port', String(plain)];
    const range = ['--service-cluster-ip-range', `127.${130 + (process.pid % 100)}.0.0/16`];
    const files = ['--data-dir', join(this.directory, 'api'), '--kubeconfig', this.kubeconfig];
    return [...files, ...ports, ...range, '--token-auth-file', this.#tokenFile];
  }

  get #tokenFile(): string {
    return join(this.directory, 'tokens');
  }

  /** Nodes come in with what nodes may do, and no more. */
  async #nodeKubeconfig(): Promise<string> {
    const config = parse(await readFile(this.kubeconfig, 'utf8')) as Record<string, unknown>;
    const file = join(this.directory, 'node-config');
    await writeFile(file, stringify({ ...config, users: [{ name: 'wherry', user: { token: nodeToken } }] }));
    return file;
  }
}

const nodeToken = 'of-the-node';
