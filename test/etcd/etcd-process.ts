import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { etcd, findTool } from '../e2e/debian-tool.ts';
import { freePort } from '../e2e/free-port.ts';

/** A real etcd of one member, on ports and in a directory of its own. */
export class EtcdProcess {
  readonly url: URL;
  readonly #health: URL;
  readonly #program: string;
  readonly #args: readonly string[];
  readonly #directory: string;
  #child: ChildProcess | undefined;

  static async start(program: string, tls?: EtcdTls): Promise<EtcdProcess> {
    for (let tries = 1; ; tries++) {
      const directory = await mkdtemp(join(tmpdir(), 'wherry-etcd-'));
      const [client, peer, health] = [await freePort(), await freePort(), await freePort()];
      const process = new EtcdProcess({ program, directory, client, peer, health, tls });
      try {
        await process.run();
        return process;
      } catch (error) {
        await process.remove();
        // A port that was free may be somebody else's by now.
        if (tries === 5) throw error;
      }
    }
  }

  private constructor({ program, directory, client, peer, health, tls }: EtcdPlace) {
    const clientUrl = `${tls ? 'https' : 'http'}://127.0.0.1:${client}`;
    const [peerUrl, healthUrl] = [`http://127.0.0.1:${peer}`, `http://127.0.0.1:${health}`];
    this.url = new URL(clientUrl);
    this.#health = new URL('/health', healthUrl);
    this.#program = program;
    this.#directory = directory;
    const flags = {
      'data-dir': directory,
      'listen-client-urls': clientUrl,
      'advertise-client-urls': clientUrl,
      'listen-peer-urls': peerUrl,
      'initial-advertise-peer-urls': peerUrl,
      'initial-cluster': `default=${peerUrl}`,
      'listen-metrics-urls': healthUrl,
      ...(tls && {
        'trusted-ca-file': tls.authorityFile,
        'cert-file': tls.certificateFile,
        'key-file': tls.keyFile,
        'client-cert-auth': true,
      }),
      'max-request-bytes': 10 * 1024 * 1024,
      // Alone, it need not wait long for others to speak up.
      'heartbeat-interval': 5,
      'election-timeout': 50,
    };
    this.#args = Object.entries(flags).map(([name, value]) => `--${name}=${value}`);
  }

  /** Starts it, for the first time or again, and waits until it serves. */
  async run(): Promise<void> {
    const environment = { ...process.env, ETCD_UNSUPPORTED_ARCH: process.arch === 'arm64' ? 'arm64' : '' };
    const child = spawn(this.#program, this.#args, { env: environment, stdio: ['ignore', 'ignore', 'pipe'] });
    this.#child = child;
    let said = '';
    child.stderr.setEncoding('utf8').on('data', (text: string) => (said = said.slice(-500) + text));
    while (!(await isServing(this.#health))) {
      if (child.exitCode !== null) throw new Error(`etcd ended with ${child.exitCode}: ${said.slice(-500)}`);
      await pause(10);
    }
  }

  async kill(signal: NodeJS.Signals = 'SIGKILL'): Promise<void> {
    const child = this.#child;
    if (!child || child.exitCode !== null || child.signalCode !== null) return;
    const exited = once(child, 'exit');
    child.kill(signal);
    await exited;
  }

  /** Forgets everything that it was told; only while it does not run. */
  async empty(): Promise<void> {
    await rm(this.#directory, { recursive: true, force: true });
  }

  /** Ends it and removes what it wrote. */
  async remove(): Promise<void> {
    await this.kill();
    await rm(this.#directory, { recursive: true, force: true });
  }
}

interface EtcdPlace {
  readonly program: string;
  readonly directory: string;
  readonly client: number;
  readonly peer: number;
  readonly health: number;
  readonly tls?: EtcdTls;
}

/** Files (PEM) with which it serves, and lets in only who has a certificate of the same authority. */
export interface EtcdTls {
  readonly authorityFile: string;
  readonly certificateFile: string;
  readonly keyFile: string;
}

/** The program, or why tests that need it are skipped. */
export async function findEtcd(): Promise<{ readonly program: string; readonly skip: string | false }> {
  const tool = await findTool(etcd);
  return 'missing' in tool ? { program: '', skip: tool.missing } : { program: tool.path, skip: false };
}

function isServing(url: URL): Promise<boolean> {
  return new Promise((answered) => {
    const asked = request(url, { agent: false }, (response) => {
      response.resume();
      answered(response.statusCode === 200);
    });
    asked.on('error', () => answered(false));
    asked.end();
  });
}
