/** How the text behind a flag is read. */
export interface FlagValue<T> {
  /** Stands for the value in the help, such as `DIR`. */
  readonly placeholder: string;
  /** Throws `WrongValue` where the text is not what is wanted. */
  parse(text: string): T;
}

/** Says what a flag wants, as the end of the sentence "--flag wants …". */
export class WrongValue extends Error {
  override readonly name = 'WrongValue';
}

/** One flag, once: parsing, help and error messages all come from here. `T` is what it means when it is not given as well. */
export interface Flag<T> {
  /** Without the dashes. */
  readonly name: string;
  readonly section: string;
  readonly help: string;
  /** Absent for a switch, which is on when it is named. */
  readonly value?: FlagValue<unknown>;
  readonly initial: T;
  /** The initial value as the help shows it. */
  readonly shows?: string;
  /** Understood, in order to be refused with a reason, but not advertised. */
  readonly hidden?: boolean;
}

/** Flags by the name under which their values are handed out. */
export type FlagTable = Readonly<Record<string, Flag<unknown>>>;

export type FlagValues<Table extends FlagTable> = {
  readonly [Key in keyof Table]: Table[Key] extends Flag<infer T> ? T : never;
};

export interface FlagDescription {
  readonly section: string;
  readonly help: string;
  readonly shows?: string;
  readonly hidden?: boolean;
}

/** Off unless it is named; one that is on by itself goes off with `--flag=false`. */
export function switchFlag(name: string, description: FlagDescription, initial = false): Flag<boolean> {
  return { name, ...description, initial };
}

export function optionalFlag<T>(name: string, value: FlagValue<T>, description: FlagDescription): Flag<T | undefined> {
  return { name, value, ...description, initial: undefined };
}

/** A flag with a default, which is written as a user would write it. */
export function flagWithDefault<T>(
  name: string,
  value: FlagValue<T>,
  initial: string,
  description: FlagDescription,
): Flag<T> {
  return { name, value, ...description, initial: value.parse(initial), shows: initial };
}
