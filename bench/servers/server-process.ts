import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';

const startMs = 20_000;
const stopMs = 10_000;

/** A server in a process of its own, which says where it serves in the first line that it prints. */
export interface ServerProcess {
  readonly pid: number;
  readonly port: number;
  /** From before the process was made until that line was read. */
  readonly readyMs: number;
  /** Resolves when the process is gone. */
  stop(): Promise<void>;
}

/** Starts a Node program. Rejects when it ends or stays silent. */
export async function startServer(script: string, args: readonly string[]): Promise<ServerProcess> {
  const began = performance.now();
  const child = spawn(process.execPath, [script, ...args], { stdio: ['ignore', 'pipe', 'inherit'] });
  const forget = killWithUs(child);
  const stop = async (): Promise<void> => {
    if (child.exitCode === null && child.signalCode === null) await end(child);
    forget();
  };
  try {
    const line = await firstLine(child);
    const readyMs = performance.now() - began;
    const port = Number(/:(\d+)$/.exec(line)?.[1]);
    if (!port) throw new Error(`${script} printed "${line}", which names no port`);
    return { pid: child.pid!, port, readyMs, stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

function firstLine(child: ChildProcess): Promise<string> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => reject(new Error('the server does not say that it is ready')), startMs);
    child.once('exit', () => {
      clearTimeout(timer);
      reject(new Error('the server ended before it was ready'));
    });
    createInterface({ input: child.stdout! }).once('line', (line) => {
      clearTimeout(timer);
      resolve(line);
    });
  });
}

async function end(child: ChildProcess): Promise<void> {
  const gone = once(child, 'exit');
  child.kill('SIGTERM');
  const timer = setTimeout(() => child.kill('SIGKILL'), stopMs);
  await gone;
  clearTimeout(timer);
}

/** Whatever ends this process takes the server with it. */
function killWithUs(child: ChildProcess): () => void {
  const kill = (): void => void child.kill('SIGKILL');
  process.once('exit', kill);
  return () => void process.off('exit', kill);
}
