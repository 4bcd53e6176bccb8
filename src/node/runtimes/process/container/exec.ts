import { spawn, type ChildProcess } from 'node:child_process';
import { constants } from 'node:os';
import type { Readable } from 'node:stream';
import { RuntimeError, type ExecProcess } from '../../../runtime.ts';
import type { HostTools } from '../host-tools.ts';
import { quote, quoteAll } from '../shell-quote.ts';
import { TerminalResizer } from './terminal.ts';

/** A command beside a container, with everything that makes it part of it. */
export interface ExecPlan {
  readonly tools: HostTools;
  /** Stands before it so that it joins the container's namespaces. */
  readonly join: readonly string[];
  readonly joinFiles: readonly string[];
  readonly asUser: readonly string[];
  readonly workingDirectory: string;
  readonly environment: Readonly<Record<string, string>>;
  readonly command: readonly string[];
  readonly tty: boolean;
  readonly stdin: boolean;
}

/** The descriptor on which a command with a terminal says which one it is. */
const terminalDescriptor = 3;

/** Runs a command in a session of its own. Its streams are the kernel's pipes: nothing is read that nobody takes. */
export async function execute(plan: ExecPlan): Promise<ExecProcess> {
  const [program = '', ...args] = plan.tty ? withTerminal(plan) : commandOf(plan);
  const environment = plan.tty ? { ...plan.environment, SHELL: plan.tools.sh } : plan.environment;
  const child = spawn(program, args, {
    env: environment,
    cwd: '/',
    detached: true,
    stdio: [plan.stdin ? 'pipe' : 'ignore', 'pipe', 'pipe', ...(plan.tty ? (['pipe'] as const) : [])],
  });
  const exitCode = exitCodeOf(child);
  await started(child);
  // Whoever writes to a command that has ended learns it from the exit code.
  child.stdin?.on('error', () => {});
  const resizer = plan.tty && new TerminalResizer(plan.tools, terminalOf(child));
  return {
    ...(child.stdin && { stdin: child.stdin }),
    stdout: child.stdout!,
    ...(!plan.tty && { stderr: child.stderr! }),
    resize: (size) => resizer && resizer.resize(size),
    exitCode,
    kill: () => killGroup(child),
    detach: () => letGo(child),
  };
}

/** A shell joins what can only be joined from within, and becomes the command. */
function commandOf({ tools, join, joinFiles, workingDirectory, asUser, command }: ExecPlan): string[] {
  const joining = joinFiles.map((file) => `echo 0 >${quote(file)} 2>/dev/null; `).join('');
  const script = `${joining}cd ${quote(workingDirectory)} || exit 126; unset OLDPWD; exec "$@"`;
  return [...join, tools.sh, '-c', script, 'sh', ...asUser, ...command];
}

function withTerminal(plan: ExecPlan): string[] {
  const { tools, environment } = plan;
  const purpose = 'to give commands a terminal';
  const shell = environment['SHELL'] === undefined ? 'unset SHELL' : `export SHELL=${quote(environment['SHELL'])}`;
  const tell = `${quote(tools.find('tty', purpose))} >&${terminalDescriptor}; exec ${terminalDescriptor}>&-`;
  const inner = `${tell}; ${shell}; exec ${quoteAll(commandOf(plan))}`;
  return [tools.find('script', purpose), '-q', '-e', '-f', '-E', 'always', '-c', inner, '/dev/null'];
}

async function terminalOf(child: ChildProcess): Promise<string | undefined> {
  const pipe = child.stdio[terminalDescriptor] as Readable;
  let text = '';
  try {
    for await (const chunk of pipe.setEncoding('utf8')) {
      text += chunk as string;
      if (text.includes('\n')) return text.trim();
    }
  } catch {
    // The command ended before it had one.
  }
  return undefined;
}

function started(child: ChildProcess): Promise<void> {
  return new Promise((resolve, reject) => {
    child.once('spawn', resolve);
    child.once('error', (cause) => {
      reject(new RuntimeError('RunContainerError', `the command cannot be started: ${cause.message}`, { cause }));
    });
  });
}

function exitCodeOf(child: ChildProcess): Promise<number> {
  return new Promise((resolve) => {
    child.once('exit', (code, signal) => resolve(code ?? 128 + (signal ? constants.signals[signal] : 0)));
  });
}

/** The command goes on with nobody at its streams. */
function letGo(child: ChildProcess): void {
  for (const stream of child.stdio) stream?.destroy();
}

/** The whole group, as long as its leader has not been waited for: until then nobody else can have its number. */
function killGroup(child: ChildProcess): void {
  if (child.exitCode !== null || child.signalCode !== null || child.pid === undefined) return;
  try {
    process.kill(-child.pid, 'SIGKILL');
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    // It is gone, or it has become another user's, as what sudo runs does, and we have no right to end it.
    if (code !== 'ESRCH' && code !== 'EPERM') throw error;
  }
}
