import { logLevels } from '../base/logger.ts';
import { choice } from './flag-values.ts';
import { flagWithDefault } from './flag.ts';

/** What every command that goes on for a while understands. */
export const outputFlags = {
  logLevel: flagWithDefault('log-level', choice(logLevels), 'info', {
    section: 'Output',
    help: 'Least grave lines to log, on standard error.',
  }),
  logFormat: flagWithDefault('log-format', choice(['text', 'json']), 'text', {
    section: 'Output',
    help: 'Log lines for people or for programs.',
  }),
};
