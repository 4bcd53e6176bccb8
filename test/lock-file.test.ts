import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';

interface Locked {
  readonly resolved?: string;
  readonly optionalDependencies?: Readonly<Record<string, string>>;
}

const { packages } = JSON.parse(readFileSync('package-lock.json', 'utf8')) as { packages: Record<string, Locked> };

test('the lock file names no registry, so that any mirror will do', () => {
  const named = Object.entries(packages).filter(([, { resolved }]) => resolved !== undefined);
  assert.deepEqual(named, []);
});

test('the lock file has the builds for every platform, without which npm ci refuses it', () => {
  const wanted = Object.values(packages).flatMap(({ optionalDependencies = {} }) => Object.keys(optionalDependencies));
  const missing = wanted.filter((name) => packages[`node_modules/${name}`] === undefined);
  assert.deepEqual(missing, [], 'run node scripts/complete-lock.js');
});
