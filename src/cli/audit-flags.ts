import { resolve } from 'node:path';
import type { AuditOptions } from '../cluster-options.ts';
import { auditLevels } from '../server/audit/audit-trail.ts';
import { choice, text, wholeNumber } from './flag-values.ts';
import { flagWithDefault, optionalFlag, type FlagValues } from './flag.ts';

const section = 'Audit';

export const auditFlags = {
  auditLogPath: optionalFlag('audit-log-path', text('FILE'), {
    section,
    help: 'Write down who does what, as lines of JSON in this file.',
  }),
  auditLogLevel: flagWithDefault('audit-log-level', choice(auditLevels), 'Metadata', {
    section,
    help: 'Whether what is sent is written down, too; never for secrets.',
  }),
  auditLogMaxSize: flagWithDefault('audit-log-maxsize', wholeNumber({ min: 1, max: 1_000_000 }), '100', {
    section,
    help: 'Megabytes after which the file is put aside and a new one begun.',
  }),
  auditLogMaxBackup: flagWithDefault('audit-log-maxbackup', wholeNumber({ min: 0, max: 1_000_000 }), '10', {
    section,
    help: 'Files put aside that are kept; 0 for all.',
  }),
};

export function auditOptionsFrom(values: FlagValues<typeof auditFlags>): AuditOptions | undefined {
  const { auditLogPath, auditLogLevel, auditLogMaxSize, auditLogMaxBackup } = values;
  if (auditLogPath === undefined) return undefined;
  return {
    path: resolve(auditLogPath),
    level: auditLogLevel,
    maxBytes: auditLogMaxSize * 1024 * 1024,
    maxBackups: auditLogMaxBackup,
  };
}
