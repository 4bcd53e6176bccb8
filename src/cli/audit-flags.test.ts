import assert from 'node:assert/strict';
import { resolve } from 'node:path';
import { test } from 'node:test';
import { auditFlags, auditOptionsFrom } from './audit-flags.ts';
import { parseFlags } from './parse-flags.ts';

test('no audit log is written unless a file is named', () => {
  assert.equal(auditOptionsFrom(parseFlags(auditFlags, ['--audit-log-maxsize', '5'])), undefined);
});

test('sizes are megabytes, and paths are taken from where the command runs', () => {
  const args = ['--audit-log-path', 'a.log', '--audit-log-maxsize=5', '--audit-log-maxbackup=0', '--audit-log-level=Request']; // prettier-ignore
  assert.deepEqual(auditOptionsFrom(parseFlags(auditFlags, args)), {
    path: resolve('a.log'),
    level: 'Request',
    maxBytes: 5 * 1024 * 1024,
    maxBackups: 0,
  });
});

test('an unknown level and a size of nothing are refused', () => {
  assert.throws(() => parseFlags(auditFlags, ['--audit-log-level', 'Everything']), /Metadata, Request/);
  assert.throws(() => parseFlags(auditFlags, ['--audit-log-maxsize', '0']), /whole number/);
});
