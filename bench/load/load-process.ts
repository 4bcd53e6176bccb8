import { fork, type ChildProcess } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import type { Command, Plan, Reply, Round, RoundEnd } from './plan.ts';

const child = fileURLToPath(new URL('child.js', import.meta.url));

/** More than any round takes; whoever is silent for longer hangs. */
const patienceMs = 60_000;

/** Load from a process of its own. */
export class LoadProcess {
  readonly #process: ChildProcess;

  private constructor() {
    this.#process = fork(child, { stdio: ['ignore', 'inherit', 'inherit', 'ipc'] });
  }

  /** Resolves once all connections are open. */
  static async start(plan: Plan): Promise<LoadProcess> {
    const load = new LoadProcess();
    try {
      await load.#ask({ do: 'open', plan });
      return load;
    } catch (error) {
      load.close();
      throw error;
    }
  }

  async round(until: RoundEnd): Promise<Round> {
    const reply = await this.#ask({ do: 'round', until });
    if (reply.did !== 'round') throw new Error(`the load process answered a round with "${reply.did}"`);
    return reply.round;
  }

  close(): void {
    this.#process.kill('SIGKILL');
  }

  #ask(command: Command): Promise<Reply> {
    const load = this.#process;
    return new Promise((resolve, reject) => {
      const onSilence = (): void => leave(() => reject(new Error('the load process does not answer')));
      const onExit = (): void => leave(() => reject(new Error('the load process ended')));
      const onMessage = (reply: Reply): void =>
        leave(() => (reply.did === 'fail' ? reject(new Error(`the load failed: ${reply.why}`)) : resolve(reply)));
      const timer = setTimeout(onSilence, patienceMs);
      function leave(answer: () => void): void {
        clearTimeout(timer);
        load.off('message', onMessage).off('exit', onExit);
        answer();
      }
      load.on('message', onMessage).on('exit', onExit);
      load.send(command);
    });
  }
}

/** Sends a number of requests once, to fill a server. */
export async function sendAll(plan: Plan, requests: number): Promise<void> {
  const load = await LoadProcess.start(plan);
  try {
    await load.round({ requests });
  } finally {
    load.close();
  }
}
