import assert from 'node:assert/strict';
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, it } from 'node:test';
import { silentLogger, type Logger } from '../../base/logger.ts';
import { Metrics } from '../../base/metrics/metrics.ts';
import { SteppedClock } from '../../base/stepped-clock.ts';
import { AuditLog } from './audit-log.ts';

describe('the audit log', () => {
  let directory: string;
  let metrics: Metrics;
  let warnings: string[];
  const clock = new SteppedClock();
  beforeEach(async () => {
    directory = await mkdtemp(join(tmpdir(), 'audit-log-'));
    metrics = new Metrics();
    warnings = [];
  });
  afterEach(() => rm(directory, { recursive: true }));

  function open(path = join(directory, 'audit.log'), maxBytes = 1024 * 1024): Promise<AuditLog> {
    const logger: Logger = { ...silentLogger, warn: (message) => warnings.push(message) };
    return AuditLog.open({ path, level: 'Metadata', maxBytes, maxBackups: 2, clock, logger, metrics });
  }

  it('holds every line, in order, once it is closed', async () => {
    const log = await open();
    const lines = Array.from({ length: 5000 }, (_, i) => `{"n":${i}}`);
    for (const line of lines) log.write(line);
    await log.close();
    const text = await readFile(join(directory, 'audit.log'), 'utf8');
    assert.deepEqual(text.trimEnd().split('\n'), lines);
    assert.match(await metrics.text(), /^apiserver_audit_event_total 5000$/m);
    assert.match(await metrics.text(), /^apiserver_audit_error_total\{plugin="log"\} 0$/m);
  });

  it('is put aside between lines when it is full', async () => {
    const log = await open(undefined, 100);
    for (let i = 0; i < 20; i++) log.write(`{"n":${i},"pad":"${'x'.repeat(20)}"}`);
    await log.close();
    const names = await readdir(directory);
    assert.equal(names.length, 3);
    for (const name of names) {
      const text = await readFile(join(directory, name), 'utf8');
      assert.ok(text.length <= 100);
      for (const line of text.trimEnd().split('\n')) assert.doesNotThrow(() => JSON.parse(line) as unknown);
    }
  });

  it(
    'gives up lines for which the disk has no room, counts them and says so once',
    { skip: process.platform !== 'linux' && 'needs /dev/full' },
    async () => {
      const log = await open('/dev/full');
      for (let i = 0; i < 3; i++) log.write('{}');
      await log.close();
      assert.match(await metrics.text(), /^apiserver_audit_error_total\{plugin="log"\} 3$/m);
      assert.match(await metrics.text(), /^apiserver_audit_event_total 0$/m);
      assert.deepEqual(warnings, ['audit events are lost']);
    },
  );

  it('gives up what a slow disk leaves no room for', async () => {
    const log = await open();
    const megabyte = 'x'.repeat(1024 * 1024);
    for (let i = 0; i < 20; i++) log.write(megabyte);
    await log.close();
    const lost = /^apiserver_audit_error_total\{plugin="log"\} (\d+)$/m.exec(await metrics.text())?.[1];
    assert.ok(Number(lost) > 0 && Number(lost) < 20, lost);
    const written = /^apiserver_audit_event_total (\d+)$/m.exec(await metrics.text())?.[1];
    assert.equal(Number(lost) + Number(written), 20);
  });

  it('counts what comes after it was closed as lost', async () => {
    const log = await open();
    await log.close();
    log.write('{}');
    assert.match(await metrics.text(), /^apiserver_audit_error_total\{plugin="log"\} 1$/m);
  });

  it('cannot be opened where it cannot be written', async () => {
    await writeFile(join(directory, 'file'), '');
    await assert.rejects(open(join(directory, 'file', 'audit.log')), { code: 'EEXIST' });
  });
});
