export const logLevels = ['error', 'warn', 'info', 'debug'] as const;
export type LogLevel = (typeof logLevels)[number];

/** Values that belong to a log line. An `error` may be an Error; its stack is printed. */
export type LogFields = Readonly<Record<string, unknown>>;

/** What components write to. Lines say what happened; fields say to what. */
export interface Logger {
  error(message: string, fields?: LogFields): void;
  warn(message: string, fields?: LogFields): void;
  info(message: string, fields?: LogFields): void;
  debug(message: string, fields?: LogFields): void;
}

function nothing(): void {}

export const silentLogger: Logger = { error: nothing, warn: nothing, info: nothing, debug: nothing };
