import type { Command } from './command.ts';
import type { Flag, FlagTable } from './flag.ts';

const width = 100;

export function overview(commands: readonly Command[], version: string): string {
  const column = Math.max(...commands.map((command) => command.name.length)) + 4;
  return [
    `Wherry ${version}: a Kubernetes-compatible control plane in one process.`,
    '',
    'Usage: wherry COMMAND [FLAGS]',
    '',
    'Commands:',
    ...commands.map((command) => `  ${command.name.padEnd(column)}${command.summary}`),
    '',
    '"wherry COMMAND --help" shows the flags of a command; "wherry --version" the version.',
    '',
  ].join('\n');
}

export function commandHelp(command: Command): string {
  const lines = [
    `Usage: wherry ${command.name} [FLAGS]`,
    '',
    ...wrap(command.description, width),
    ...flagSections(command.flags),
  ];
  return `${lines.join('\n')}\n`;
}

function flagSections(table: FlagTable): string[] {
  const flags = Object.values(table).filter((flag) => !flag.hidden);
  const sections = [...new Set(flags.map((flag) => flag.section))];
  const column = Math.max(...flags.map((flag) => usageOf(flag).length)) + 4;
  return sections.flatMap((section) => [
    '',
    `${section}:`,
    ...flags.filter((flag) => flag.section === section).flatMap((flag) => flagLines(flag, column)),
  ]);
}

function usageOf(flag: Flag<unknown>): string {
  return flag.value ? `--${flag.name} ${flag.value.placeholder}` : `--${flag.name}`;
}

function flagLines(flag: Flag<unknown>, column: number): string[] {
  const sentence = flag.shows === undefined ? flag.help : `${flag.help} (default ${flag.shows})`;
  const [first = '', ...rest] = wrap(sentence, width - column);
  return [`  ${usageOf(flag).padEnd(column - 2)}${first}`, ...rest.map((line) => `${' '.repeat(column)}${line}`)];
}

function wrap(sentence: string, columns: number): string[] {
  const lines: string[] = [];
  let line = '';
  for (const word of sentence.split(' ')) {
    if (line !== '' && line.length + 1 + word.length > columns) {
      lines.push(line);
      line = word;
    } else {
      line = line === '' ? word : `${line} ${word}`;
    }
  }
  return [...lines, line];
}
