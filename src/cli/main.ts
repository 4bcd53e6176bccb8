import { version } from '../version.ts';
import { apiserver } from './apiserver.ts';
import { closestName } from './closest-name.ts';
import type { Command, Terminal } from './command.ts';
import { controllers } from './controllers.ts';
import { explainError } from './explain-error.ts';
import { commandHelp, overview } from './help.ts';
import { node } from './node.ts';
import { up } from './up.ts';
import { UsageError } from './usage-error.ts';

const commands: readonly Command[] = [up, apiserver, controllers, node];

const exitCodes = { done: 0, failed: 1, wrongUsage: 2 };

/** Runs one command line and gives the exit code. Nothing it does outlives it. */
export async function main(args: readonly string[], terminal: Terminal): Promise<number> {
  try {
    await dispatch(args, terminal);
    return exitCodes.done;
  } catch (error) {
    if (error instanceof UsageError) {
      terminal.stderr.write(error.mistakes.map((mistake) => `wherry: ${mistake}\n`).join(''));
      terminal.stderr.write(`${hintFor(args)}\n`);
      return exitCodes.wrongUsage;
    }
    terminal.stderr.write(`wherry: ${explainError(error, flagNames(args))}\n`);
    return exitCodes.failed;
  }
}

async function dispatch(args: readonly string[], terminal: Terminal): Promise<void> {
  const [name, ...rest] = args;
  if (name === undefined || isHelp(name)) {
    terminal.stdout.write(overview(commands, version));
  } else if (name === '--version' || name === 'version') {
    terminal.stdout.write(`${version}\n`);
  } else if (name === 'help') {
    const topic = rest[0];
    terminal.stdout.write(topic === undefined ? overview(commands, version) : commandHelp(findCommand(topic)));
  } else {
    const command = findCommand(name);
    if (rest.some(isHelp)) terminal.stdout.write(commandHelp(command));
    else await command.run(rest, terminal);
  }
}

function isHelp(arg: string): boolean {
  return arg === '--help' || arg === '-h';
}

function findCommand(name: string): Command {
  const command = commands.find((candidate) => candidate.name === name);
  if (command) return command;
  if (name.startsWith('-')) throw new UsageError([`name a command before the flags: wherry COMMAND ${name}`]);
  const names = commands.map((candidate) => candidate.name);
  const near = closestName(name, names);
  throw new UsageError([`there is no command ${name}${near === undefined ? '' : `; did you mean ${near}?`}`]);
}

/** The flags of the command that the line names. */
function flagNames(args: readonly string[]): string[] {
  const command = commands.find((candidate) => candidate.name === args[0]);
  return Object.values(command?.flags ?? {}).map(({ name }) => name);
}

function hintFor(args: readonly string[]): string {
  const command = commands.find((candidate) => candidate.name === args[0]);
  return `See "wherry ${command ? `${command.name} ` : ''}--help".`;
}
