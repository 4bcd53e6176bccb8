/** `npm run bench`: measures the built package beside a bare server that moves the same bytes. Nothing it starts outlives it. */
import { existsSync } from 'node:fs';
import type { Figure } from './figure.ts';
import { parseOptions, usage, type BenchOptions } from './options.ts';
import { memory } from './rows/memory.ts';
import type { Row } from './rows/row.ts';
import { rollout, running } from './rows/running.ts';
import { changingList, create, fanOuts, get, list, select, update } from './rows/speed-rows.ts';
import { start } from './rows/start.ts';
import { formatTable } from './table.ts';

const rows: readonly Row[] = [
  create,
  get,
  update,
  list,
  changingList,
  select,
  ...fanOuts,
  start,
  memory,
  rollout,
  running,
];

function chooseRows({ rows: names, cli }: BenchOptions): readonly Row[] {
  const unknown = names.find((name) => !rows.some((row) => row.name === name));
  if (unknown !== undefined) throw new Error(`there is no row ${unknown}; see --help`);
  if (!existsSync(cli)) throw new Error(`there is no ${cli}; run "npm run build" first`);
  return names.length === 0 ? rows : rows.filter((row) => names.includes(row.name));
}

/** A selector saves the more, the less it matches: that shows only beside the whole list. */
function selectionGain(figures: readonly Figure[]): Figure[] {
  const [whole, part] = [list, select].map(({ name }) => figures.find(({ row }) => row === name)?.wherry);
  if (whole === undefined || part === undefined) return [];
  return [{ row: 'select', what: 'list by label over whole list', unit: 'times', wherry: part / whole, goal: '>= 50' }];
}

async function run(options: BenchOptions): Promise<readonly Figure[]> {
  const figures: Figure[] = [];
  for (const row of chooseRows(options)) {
    process.stderr.write(`${row.about}...\n`);
    figures.push(...(await row.run(options)));
  }
  return [...figures, ...selectionGain(figures)];
}

// Ending by process.exit runs the handlers that end the servers; the load processes end when they lose their parent.
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(1));

try {
  const options = parseOptions(process.argv.slice(2));
  if (options.help) {
    process.stdout.write(
      `${usage}\nRows:\n${rows.map(({ name, about }) => `  ${name.padEnd(15)}${about}\n`).join('')}`,
    );
  } else {
    const figures = await run(options);
    process.stdout.write(options.json ? `${JSON.stringify(figures, undefined, 2)}\n` : `${formatTable(figures)}\n`);
  }
} catch (error) {
  process.stderr.write(`bench: ${error instanceof Error ? error.message : String(error)}\n`);
  process.exitCode = 1;
}
