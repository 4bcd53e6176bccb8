import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isPathPattern } from './path-pattern.ts';

const good = [
  '/',
  '/a/b.html',
  '/b.*',
  '/(a|b)+/c?',
  '/a{2}/b{1,}/c{1,3}',
  '/a{x}',
  '/a{',
  '/a**',
  '/[a-z0-9_-]+',
  '/[^/]*',
  '/[-a][^-a][+--]',
  '/[]a]',
  '/[[:alpha:][:digit:]]+',
  '/[[:^space:]]',
  '/\\.\\*\\/',
  '/\\x41\\x{1F600}\\t\\012',
  '/[\\x41-\\x5a][z-\\x7f][\\t-\\015]',
  '/^a$|^b$',
  '/()',
  '/é/😀+',
  '/}',
  '/]',
];
const bad = [
  '/(',
  '/)',
  '/(a',
  '/a)',
  '/[a',
  '/[z-a]',
  '/[a-b-c]',
  '/[[:alpha:]-z]',
  '/[[:nonsense:]]',
  '/|*',
  '/(*a)',
  '*/',
  '/a{3,2}',
  '/a{1001}',
  '/\\d+',
  '/\\',
  '/\\1',
  '/(?:a)',
  '/[\\d]',
  '/\\x{110000000}',
  '/\\é',
  '/[\\x5a-\\x41]',
  '/\\x{110000}',
];

for (const pattern of good) test(`${pattern} is a pattern`, () => assert.equal(isPathPattern(pattern), true));
for (const pattern of bad) test(`${pattern} is no pattern`, () => assert.equal(isPathPattern(pattern), false));

test('a long text is read in one pass', () => {
  assert.equal(isPathPattern(`/${'(a|b)*'.repeat(20_000)}`), true);
  assert.equal(isPathPattern(`/${'('.repeat(100_000)}`), false);
});
