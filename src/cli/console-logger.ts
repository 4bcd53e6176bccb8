import type { Clock } from '../base/clock.ts';
import { logLevels, type LogFields, type Logger, type LogLevel } from '../base/logger.ts';
import { ApiError } from '../kinds/meta/api-error.ts';

export interface ConsoleLoggerOptions {
  /** Where lines go; takes whole lines. */
  readonly output: { write(text: string): unknown };
  readonly level: LogLevel;
  readonly format: 'text' | 'json';
  readonly clock: Clock;
}

/** An error may name itself as its cause. */
const maxCauses = 8;

/**
 * One line for each event, for people or for programs; an error's stack follows its line, unless it is a refusal that somebody expects, such as that a server
 * is not there yet. Logging never throws.
 */
export function consoleLogger(options: ConsoleLoggerOptions): Logger {
  const threshold = logLevels.indexOf(options.level);
  const render = options.format === 'json' ? jsonLine : textLine;
  function log(level: LogLevel, message: string, fields: LogFields = {}): void {
    if (logLevels.indexOf(level) > threshold) return;
    try {
      const time = new Date(options.clock.now()).toISOString();
      options.output.write(render({ time, level, message, fields: readFields(fields) }));
    } catch {
      // A log that cannot be written must not bring down what it tells about.
    }
  }
  return {
    error: (message, fields) => log('error', message, fields),
    warn: (message, fields) => log('warn', message, fields),
    info: (message, fields) => log('info', message, fields),
    debug: (message, fields) => log('debug', message, fields),
  };
}

interface LogEvent {
  readonly time: string;
  readonly level: LogLevel;
  readonly message: string;
  readonly fields: readonly (readonly [string, unknown])[];
}

/** The fields with their values; one that cannot be read says so. */
function readFields(fields: LogFields): [string, unknown][] {
  return Object.keys(fields).map((key) => {
    try {
      return [key, fields[key]];
    } catch (error) {
      return [key, unreadable(error)];
    }
  });
}

function textLine({ time, level, message, fields }: LogEvent): string {
  let line = `${time} ${level.toUpperCase().padEnd(5)} ${escapeControls(message)}`;
  let stacks = '';
  for (const [key, value] of fields) {
    if (value === undefined) continue;
    line += ` ${key}=${textValue(value)}`;
    const isExpected = value instanceof ApiError && level !== 'error';
    if (value instanceof Error && !isExpected) stacks += stackLines(value);
  }
  return `${line}\n${stacks}`;
}

function textValue(value: unknown): string {
  const words = value instanceof Error ? value.message : typeof value === 'string' ? value : compact(value);
  return /^[^\s"=\p{Cc}]+$/u.test(words) ? words : JSON.stringify(words);
}

function compact(value: unknown): string {
  return typeof value === 'object' && value !== null ? toJson(value) : String(value);
}

/** The stack of an error and of what caused it. */
function stackLines(error: Error): string {
  let lines = '';
  let [cause, depth]: [unknown, number] = [error, 0];
  while (cause instanceof Error && depth < maxCauses) {
    const stack = cause.stack ?? `${cause.name}: ${cause.message}`;
    lines += `${depth > 0 ? 'caused by ' : ''}${stack}`.replaceAll(/^/gm, '    ') + '\n';
    [cause, depth] = [cause.cause, depth + 1];
  }
  return lines;
}

function escapeControls(text: string): string {
  return text.replaceAll(/\p{Cc}/gu, (control) => JSON.stringify(control).slice(1, -1));
}

function jsonLine({ time, level, message, fields }: LogEvent): string {
  const event: Record<string, unknown> = { time, level, message };
  for (const [key, value] of fields) event[key in event ? `field.${key}` : key] = value;
  return `${toJson(event)}\n`;
}

/** As JSON.stringify, but errors keep their message, stack and cause, and nothing that JSON lacks makes it fail. */
function toJson(value: unknown): string {
  return JSON.stringify(toPlain(value, []));
}

function toPlain(value: unknown, ancestors: readonly object[]): unknown {
  if (typeof value === 'bigint' || typeof value === 'symbol' || typeof value === 'function') return String(value);
  if (typeof value !== 'object' || value === null) return value;
  if (ancestors.includes(value)) return '<circular>';
  const inside = [...ancestors, value];
  try {
    if (value instanceof Error) return plainObject(describeError(value), inside);
    if ('toJSON' in value && typeof value.toJSON === 'function') return toPlain(value.toJSON(), inside);
    return Array.isArray(value) ? value.map((item) => toPlain(item, inside)) : plainObject(value, inside);
  } catch (error) {
    return unreadable(error);
  }
}

function plainObject(object: object, inside: readonly object[]): Record<string, unknown> {
  return Object.fromEntries(Object.entries(object).map(([key, value]) => [key, toPlain(value, inside)]));
}

function describeError(error: Error): Record<string, unknown> {
  const { name, message, stack, cause } = error;
  const { code } = error as { code?: unknown };
  return { name, message, code, stack, cause };
}

function unreadable(error: unknown): string {
  return `<unreadable: ${String(error)}>`;
}
