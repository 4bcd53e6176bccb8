import { closestName } from './closest-name.ts';
import { WrongValue, type Flag, type FlagTable, type FlagValues } from './flag.ts';
import { UsageError } from './usage-error.ts';

/** Reads `--flag value` and `--flag=value`. The last one counts where a flag is given twice. Throws `UsageError` with every mistake. */
export function parseFlags<Table extends FlagTable>(table: Table, args: readonly string[]): FlagValues<Table> {
  const parser = new FlagParser(table, args);
  return parser.parse() as FlagValues<Table>;
}

class FlagParser {
  readonly #keys: ReadonlyMap<string, string>;
  readonly #table: FlagTable;
  readonly #rest: string[];
  readonly #mistakes: string[] = [];

  constructor(table: FlagTable, args: readonly string[]) {
    this.#table = table;
    this.#rest = [...args];
    this.#keys = new Map(Object.entries(table).map(([key, flag]) => [flag.name, key]));
  }

  parse(): Record<string, unknown> {
    const values: Record<string, unknown> = {};
    for (const [key, flag] of Object.entries(this.#table)) values[key] = flag.initial;
    for (let arg = this.#rest.shift(); arg !== undefined; arg = this.#rest.shift()) this.#take(arg, values);
    if (this.#mistakes.length > 0) throw new UsageError(this.#mistakes);
    return values;
  }

  #take(arg: string, values: Record<string, unknown>): void {
    if (!arg.startsWith('--') || arg === '--') {
      this.#mistakes.push(`${JSON.stringify(arg)} is not a flag; flags start with two dashes`);
      return;
    }
    const equals = arg.indexOf('=');
    const name = arg.slice(2, equals < 0 ? undefined : equals);
    const key = this.#keys.get(name);
    const flag = key === undefined ? undefined : this.#table[key];
    if (key === undefined || !flag) {
      this.#reportUnknown(name, equals < 0);
      return;
    }
    const given = equals < 0 ? undefined : arg.slice(equals + 1);
    if (!flag.value) {
      values[key] = this.#readSwitch(flag, given);
      return;
    }
    const text = given ?? this.#nextValue();
    if (text === undefined) this.#mistakes.push(`--${name} needs a value: --${name} ${flag.value.placeholder}`);
    else values[key] = this.#readValue(flag, flag.value, text);
  }

  /** What follows belongs to the flag, unless it is plainly another flag. */
  #nextValue(): string | undefined {
    const next = this.#rest[0];
    return next === undefined || next.startsWith('--') ? undefined : this.#rest.shift();
  }

  #readSwitch(flag: Flag<unknown>, given: string | undefined): boolean {
    if (given === undefined || given === 'true') return true;
    if (given !== 'false') this.#mistakes.push(`--${flag.name} wants true or false, not ${JSON.stringify(given)}`);
    return false;
  }

  #readValue(flag: Flag<unknown>, value: NonNullable<Flag<unknown>['value']>, text: string): unknown {
    try {
      return value.parse(text);
    } catch (error) {
      if (!(error instanceof WrongValue)) throw error;
      this.#mistakes.push(`--${flag.name} wants ${error.message}, not ${JSON.stringify(text)}`);
      return undefined;
    }
  }

  #reportUnknown(name: string, mayHaveValue: boolean): void {
    const shown = Object.values(this.#table).filter((flag) => !flag.hidden);
    const near = closestName(
      name,
      shown.map((flag) => flag.name),
    );
    this.#mistakes.push(`there is no flag --${name}${near === undefined ? '' : `; did you mean --${near}?`}`);
    // What stands behind an unknown flag is most likely its value and no mistake of its own.
    if (mayHaveValue) this.#nextValue();
  }
}
