import type { Writable } from 'node:stream';
import type { Clock } from '../base/clock.ts';
import type { FlagTable, FlagValues } from './flag.ts';
import { parseFlags } from './parse-flags.ts';

/** What a command may touch of the process that runs it. */
export interface Terminal {
  /** For what a person or a script asked for. */
  readonly stdout: Writable;
  /** For logs and complaints. */
  readonly stderr: Writable;
  readonly clock: Clock;
  /** Aborted when the command is to end. */
  readonly stop: AbortSignal;
}

export interface Command {
  readonly name: string;
  /** Half a line, for the overview. */
  readonly summary: string;
  readonly description: string;
  readonly flags: FlagTable;
  /** Resolves when the command is done; throws `UsageError` before anything is started. */
  run(args: readonly string[], terminal: Terminal): Promise<void>;
}

export interface CommandDefinition<Table extends FlagTable> {
  readonly name: string;
  readonly summary: string;
  readonly description: string;
  readonly flags: Table;
  run(values: FlagValues<Table>, terminal: Terminal): Promise<void>;
}

export function defineCommand<Table extends FlagTable>(definition: CommandDefinition<Table>): Command {
  return {
    ...definition,
    run: async (args, terminal) => definition.run(parseFlags(definition.flags, args), terminal),
  };
}
