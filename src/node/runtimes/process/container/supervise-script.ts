import type { HostTools } from '../host-tools.ts';
import { quote, quoteAll } from '../shell-quote.ts';
import { containerFiles as file } from './container-record.ts';

/** What the shell scripts of a container are made from. */
export interface SuperviseOptions {
  readonly tools: HostTools;
  readonly directory: string;
  /** Commands that make its file system, when it has one of its own. */
  readonly rootCommands?: string;
  readonly hostname: string;
  readonly stdin: boolean;
  readonly stdinOnce: boolean;
  readonly tty: boolean;
  /** The value of SHELL in its environment. */
  readonly shell: string | undefined;
  readonly joinFiles: readonly string[];
  readonly workingDirectory: string;
  readonly asUser: readonly string[];
  readonly command: readonly string[];
}

/** Writes `PID START` of a process into a file, in one piece. Field 22 of what the kernel says is the 20th behind the name. */
const noteIdentity = `wherry_note() {
  wherry_file=$1 wherry_pid=$2
  read -r wherry_stat <"/proc/$2/stat"
  set -- \${wherry_stat##*) }
  echo "$wherry_pid \${20}" >"$wherry_file"
}`;

/** Fields that only the supervisor uses are not for the command. */
const closeOwn = '3>&- 4>&- 5>&-';
const longTime = 2_147_483;

/**
 * The supervisor: a shell that outlives the agent. It holds the FIFOs open, so that the container blocks rather than dies while nobody reads, waits
 * for the command, writes its exit code down, and then stays until the agent has read everything and ends it. Its variables begin with
 * `wherry_` because all others are the container's environment.
 */
export function superviseScript(options: SuperviseOptions): string {
  const { tools, stdin, stdinOnce, rootCommands, hostname } = options;
  const fifos = [file.stdout, file.stderr, file.events, 'park', ...(stdin ? [file.stdin] : [])];
  return lines(
    'umask 022',
    `cd ${quote(options.directory)} || exit 1`,
    `${quote(tools.mkfifo)} -m 666 ${fifos.join(' ')} || exit 1`,
    `exec 3<>${file.stdout} 4<>${file.stderr} 5<>${file.events} 8>&1 >/dev/null`,
    noteIdentity,
    `wherry_note ${file.supervisor} $$`,
    rootCommands && `{ ${rootCommands}; } || { echo 'failed InvalidMount' >&8; exit 1; }`,
    rootCommands && `${quote(tools.find('hostname', 'to name containers after their pods'))} ${quote(hostname)}`,
    'exec 2>/dev/null',
    stdinOnce && `${quote(tools.sleep)} ${longTime} ${closeOwn} 8>&- >${file.stdin} &`,
    stdinOnce && `wherry_note ${file.stdinHolder} $!`,
    mainCommand(options),
    'wherry_code=$?',
    // What it wrote then is why: there is no terminal, say.
    `[ -e ${file.process} ] || echo failed RunContainerError its program could not be started >&8`,
    `echo $wherry_code >${file.exitCode}`,
    'echo $wherry_code >&5',
    'while :; do read -r wherry_park <park; done',
  );
}

/** In the foreground: a shell lets commands in the background ignore interrupts, and they could never be told otherwise. */
function mainCommand({ tools, stdin, stdinOnce, tty }: SuperviseOptions): string {
  // Open for writing too it never ends, as standard input that anybody may attach to later must not.
  const input = stdin ? `${stdinOnce ? '<' : '<>'}${file.stdin}` : '</dev/null';
  const streams = `${input} >${file.stdout} 2>${tty ? '&1' : file.stderr} ${closeOwn}`;
  const setsid = quote(tools.setsid);
  const enter = quoteAll([tools.sh, file.enter]);
  if (!tty) return `${setsid} ${enter} ${streams}`;
  const script = quote(tools.find('script', 'to give containers a terminal'));
  return `SHELL=${quote(tools.sh)} ${setsid} ${script} -q -e -f -E always -c ${quote(`exec ${enter}`)} /dev/null ${streams}`;
}

/** Runs as the container's main process and becomes its command, or says on descriptor 8 why it cannot. */
export function enterScript(options: SuperviseOptions): string {
  const { tools, tty, shell, workingDirectory, asUser, command } = options;
  const fail = (reason: string, message: string): string => `{ printf '%s\\n' ${quote(`failed ${reason} ${message}`)} >&8; exit 125; }`; // prettier-ignore
  const program = command[0] ?? '';
  return lines(
    ...options.joinFiles.map((path) => `echo 0 >${quote(path)} || ${fail('CreateContainerError', `cannot join the control group ${path}`)}`), // prettier-ignore
    noteIdentity,
    `wherry_note ${file.process} $$`,
    tty && `${quote(tools.find('tty', 'to give containers a terminal'))} >${file.terminal}`,
    tty && (shell === undefined ? 'unset SHELL' : `SHELL=${quote(shell)}`),
    `cd ${quote(workingDirectory)} 2>/dev/null || ${fail('CreateContainerError', `cannot start in the directory ${workingDirectory}`)}`,
    'unset OLDPWD',
    `command -v -- ${quote(program)} >/dev/null || ${fail('RunContainerError', `there is no program ${JSON.stringify(program)} on this machine`)}`,
    // The agent may be gone by now, which is no reason to die.
    `trap '' PIPE; echo started >&8 2>/dev/null; trap - PIPE`,
    'exec 8>&-',
    `exec ${quoteAll([...asUser, ...command])}`,
  );
}

function lines(...all: readonly (string | false | undefined)[]): string {
  return `${all.filter(Boolean).join('\n')}\n`;
}
