import type { Path } from './path.ts';

/** Why a value was refused, in the reference's words: clients match on these. */
export type FieldErrorReason =
  | 'FieldValueRequired'
  | 'FieldValueInvalid'
  | 'FieldValueDuplicate'
  | 'FieldValueNotFound'
  | 'FieldValueNotSupported'
  | 'FieldValueForbidden'
  | 'FieldValueTooLong';

export interface FieldError {
  readonly field: string;
  readonly reason: FieldErrorReason;
  readonly message: string;
}

/** A body of millions of mistakes is not answered with millions of sentences. */
const mostErrors = 1000;

/** Collects every mistake of one object, so that one answer names them all. */
export class FieldErrors {
  readonly list: FieldError[] = [];

  get any(): boolean {
    return this.list.length > 0;
  }

  /** Whether something at this place or below it was found wrong. */
  anyUnder(path: Path): boolean {
    const prefix = path.toString();
    return this.list.some((error) => isUnder(error, prefix));
  }

  /** Takes back what was found wrong at this place or below it, where that turns out to be beside the point. */
  forgetUnder(path: Path): void {
    const prefix = path.toString();
    const others = this.list.filter((error) => !isUnder(error, prefix));
    this.list.splice(0, this.list.length, ...others);
  }

  required(path: Path, message = 'a value is required'): void {
    this.#add(path, 'FieldValueRequired', message);
  }

  invalid(path: Path, value: unknown, message: string): void {
    this.#add(path, 'FieldValueInvalid', `${show(value)} is not valid: ${message}`);
  }

  duplicate(path: Path, value: unknown): void {
    this.#add(path, 'FieldValueDuplicate', `${show(value)} is there more than once`);
  }

  notFound(path: Path, value: unknown): void {
    this.#add(path, 'FieldValueNotFound', `${show(value)} was not found`);
  }

  notSupported(path: Path, value: unknown, supported: readonly string[]): void {
    const list = supported.map((each) => JSON.stringify(each)).join(', ');
    this.#add(path, 'FieldValueNotSupported', `${show(value)} is not supported; use one of ${list}`);
  }

  forbidden(path: Path, message: string): void {
    this.#add(path, 'FieldValueForbidden', message);
  }

  tooLong(path: Path, max: number, unit = 'characters'): void {
    this.#add(path, 'FieldValueTooLong', `must have at most ${max} ${unit}`);
  }

  #add(path: Path, reason: FieldErrorReason, message: string): void {
    if (this.list.length >= mostErrors) return;
    this.list.push({ field: path.toString(), reason, message });
  }
}

function isUnder({ field }: FieldError, prefix: string): boolean {
  const next = field.charAt(prefix.length);
  return field.startsWith(prefix) && (next === '' || next === '.' || next === '[');
}

const longestShown = 200;

function show(value: unknown): string {
  const text = JSON.stringify(value) ?? 'nothing';
  return text.length > longestShown ? `${text.slice(0, longestShown)}…` : text;
}
