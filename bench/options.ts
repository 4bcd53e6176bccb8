import { resolve } from 'node:path';
import { parseArgs } from 'node:util';

/** How long and how often is measured. */
export interface Effort {
  /** How long both servers are used before anything counts. */
  readonly warmUpMs: number;
  /** Length of one round, for each of the two servers. */
  readonly roundMs: number;
  readonly rounds: number;
  /** How many processes are started to measure a start. */
  readonly starts: number;
}

export interface BenchOptions {
  /** Names of rows; all when empty. */
  readonly rows: readonly string[];
  readonly effort: Effort;
  readonly json: boolean;
  readonly help: boolean;
  /** The command that is measured. */
  readonly cli: string;
}

// Many short rounds: what else the machine does falls on a few of them, and the median does not see those.
const full: Effort = { warmUpMs: 3000, roundMs: 400, rounds: 15, starts: 9 };
const quick: Effort = { warmUpMs: 1000, roundMs: 300, rounds: 3, starts: 3 };

export const usage = `npm run bench -- [--quick] [--json] [--cli FILE] [ROW...]

Measures the built package beside a bare node:https server that moves the same bytes (the floor).

  --quick      shorter and fewer rounds
  --json       figures as JSON
  --cli FILE   measure this build of the command instead of dist/cli.js
`;

export function parseOptions(args: readonly string[]): BenchOptions {
  const { values, positionals } = parseArgs({
    args: [...args],
    allowPositionals: true,
    options: {
      quick: { type: 'boolean', default: false },
      json: { type: 'boolean', default: false },
      help: { type: 'boolean', default: false },
      cli: { type: 'string', default: 'dist/cli.js' },
    },
  });
  return {
    rows: positionals,
    effort: values.quick ? quick : full,
    json: values.json,
    help: values.help,
    cli: resolve(values.cli),
  };
}
