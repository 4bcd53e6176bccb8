import { spawn, type ChildProcess } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { request } from 'node:https';
import { dirname, resolve } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { parse } from 'yaml';

const cli = resolve(dirname(fileURLToPath(import.meta.url)), '../../src/cli.js');

export interface Ended {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** The command as a process of its own. */
export class WherryProcess {
  readonly child: ChildProcess;
  /** The first line on standard output; undefined when the process ends without one. */
  readonly firstLine: Promise<string | undefined>;
  readonly ended: Promise<Ended>;

  constructor(args: readonly string[], environment: NodeJS.ProcessEnv = {}) {
    const env = { ...process.env, ...environment };
    const child = spawn(process.execPath, [cli, ...args], { env, stdio: ['ignore', 'pipe', 'pipe'] });
    this.child = child;
    let [stdout, stderr] = ['', ''];
    child.stdout.setEncoding('utf8').on('data', (chunk: string) => (stdout += chunk));
    child.stderr.setEncoding('utf8').on('data', (chunk: string) => (stderr += chunk));
    this.ended = new Promise((done) => {
      child.on('close', (code) => done({ code, stdout, stderr }));
    });
    const lines = createInterface({ input: child.stdout });
    this.firstLine = Promise.race([
      new Promise<string>((found) => {
        lines.once('line', found);
      }),
      this.ended.then(() => undefined),
    ]);
  }

  /** Asks for a clean end and waits for it. */
  async stop(signal: NodeJS.Signals = 'SIGTERM'): Promise<Ended> {
    this.child.kill(signal);
    return this.ended;
  }
}

/** How a kubeconfig file says the server is reached. */
export interface WayIn {
  readonly server: string;
  readonly ca: Buffer;
  readonly cert?: Buffer;
  readonly key?: Buffer;
}

interface Kubeconfig {
  readonly clusters: readonly { readonly cluster: Readonly<Record<string, string>> }[];
  readonly users: readonly { readonly user: Readonly<Record<string, string>> }[];
}

export async function readWayIn(kubeconfig: string): Promise<WayIn> {
  const { clusters, users } = parse(await readFile(kubeconfig, 'utf8')) as Kubeconfig;
  const decode = (text: string | undefined): Buffer => Buffer.from(text ?? '', 'base64');
  const [cluster, user] = [clusters[0]?.cluster ?? {}, users[0]?.user ?? {}];
  return {
    server: cluster.server ?? '',
    ca: decode(cluster['certificate-authority-data']),
    cert: decode(user['client-certificate-data']),
    key: decode(user['client-key-data']),
  };
}

export interface Reply {
  readonly status: number;
  readonly body: string;
}

export interface Call {
  readonly method?: string;
  readonly path: string;
  readonly body?: object;
  readonly headers?: Readonly<Record<string, string>>;
}

/** One request over a connection of its own. */
export function call(wayIn: WayIn, { method = 'GET', path, body, headers }: Call): Promise<Reply> {
  const { server, ...tls } = wayIn;
  return new Promise((done, failed) => {
    const sent = request(new URL(path, server), { method, headers, agent: false, ...tls }, (response) => {
      let text = '';
      response.setEncoding('utf8').on('data', (chunk: string) => (text += chunk));
      response.on('end', () => done({ status: response.statusCode ?? 0, body: text }));
    });
    sent.on('error', failed);
    sent.end(body && JSON.stringify(body));
  });
}
