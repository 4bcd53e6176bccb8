/** Runs every test file, or those whose path contains one of the arguments, and ends with the line `N passed, N failed`. */
import { once } from 'node:events';
import { readdirSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { run } from 'node:test';
import { spec } from 'node:test/reporters';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';

const built = resolve(dirname(fileURLToPath(import.meta.url)), '..');

/** The sources say what there is to run: a compiled test whose source is gone must not count. */
function testFiles(filters: readonly string[]): string[] {
  const sources = ['src', 'test', 'scripts'].flatMap((room) =>
    readdirSync(room, { recursive: true, encoding: 'utf8' }).map((path) => join(room, path)),
  );
  return sources
    .filter((path) => path.endsWith('.test.ts'))
    .filter((path) => filters.length === 0 || filters.some((filter) => path.includes(filter)))
    .sort()
    .map((path) => join(built, path.replace(/\.ts$/, '.js')));
}

const { values, positionals } = parseArgs({
  allowPositionals: true,
  // Checks that failed before the tests; they belong into the count.
  options: { 'failed-checks': { type: 'string', default: '0' } },
});
const counts = { passed: 0, failed: Number(values['failed-checks']) };
const events = run({ files: testFiles(positionals), concurrency: 2, timeout: 120_000 });
events.on('test:pass', ({ details, skip, todo }) => {
  if (details.type !== 'suite' && !skip && !todo) counts.passed++;
});
events.on('test:fail', ({ details }) => {
  if (details.type !== 'suite') counts.failed++;
});
const report = events.compose(new spec());
report.pipe(process.stdout, { end: false });
await once(report, 'end');

process.stdout.write(`${counts.passed} passed, ${counts.failed} failed\n`);
process.exitCode = counts.failed > 0 || counts.passed === 0 ? 1 : 0;
