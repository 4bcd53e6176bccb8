import { spawn, type ChildProcess } from 'node:child_process';
import { text } from 'node:stream/consumers';
import type { Clock } from '../../../../base/clock.ts';
import { deferred } from '../../../../base/deferred.ts';
import { RuntimeError, type RuntimeErrorReason } from '../../../runtime.ts';

/** File systems that hang must not make the agent hang. */
const patienceMs = 60_000;

export interface Launch {
  readonly command: readonly string[];
  readonly directory: string;
  readonly environment: Readonly<Record<string, string>>;
  readonly clock: Clock;
}

/** Starts a supervisor and resolves when the container's own command runs. When it does not, fails with `RuntimeError`; the caller ends what is left. */
export async function launch({ command, directory, environment, clock }: Launch): Promise<void> {
  const [program = '', ...args] = command;
  const child = spawn(program, args, { cwd: directory, env: environment, detached: true, stdio: ['ignore', 'pipe', 'pipe'] }); // prettier-ignore
  child.unref();
  const tooLate = deferred<never>();
  const timer = clock.after(patienceMs, () => {
    tooLate.reject(new RuntimeError('RunContainerError', `it did not start within ${patienceMs / 1000} seconds`));
  });
  const errors = text(child.stderr).catch(() => '');
  try {
    const answer = await Promise.race([firstLine(child), tooLate.promise]);
    if (answer === 'started') return;
    throw failure(
      answer,
      cleaned(await errors, directory) || `its supervisor ended with ${child.signalCode ?? child.exitCode}`,
    );
  } finally {
    timer.cancel();
    child.stdout.destroy();
    child.stderr.destroy();
  }
}

/** The first line that it writes; nothing when it ends without one. */
function firstLine(child: ChildProcess): Promise<string | undefined> {
  return new Promise((resolve, reject) => {
    let line = '';
    child.stdout!.setEncoding('utf8').on('data', (chunk: string) => {
      line += chunk;
      if (line.includes('\n')) resolve(line.slice(0, line.indexOf('\n')));
    });
    child.on('close', () => resolve(undefined));
    child.on('error', (cause) => {
      reject(new RuntimeError('CreateContainerError', `its supervisor cannot be started: ${cause.message}`, { cause }));
    });
  });
}

const reasons: readonly RuntimeErrorReason[] = ['InvalidMount', 'CreateContainerError', 'RunContainerError'];

function failure(answer: string | undefined, errors: string): RuntimeError {
  const [, word = '', ...message] = answer?.split(' ') ?? [];
  const reason = reasons.find((reason) => reason === word);
  if (reason === undefined) return new RuntimeError('CreateContainerError', errors);
  return new RuntimeError(reason, message.join(' ') || errors);
}

/** The kernel's words without our own directories and hints for administrators. */
function cleaned(errors: string, directory: string): string {
  const line = errors.split('\n').find((line) => line.trim() !== '') ?? '';
  return line.replaceAll(`${directory}/root`, '').trim();
}
