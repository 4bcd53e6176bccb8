import assert from 'node:assert/strict';
import { test } from 'node:test';
import { pathSegment } from './address.ts';

for (const [name, segment] of [
  ['web-1.2', 'web-1.2'],
  ['system:node', 'system:node'],
  ['a@b~c+d=e', 'a@b~c+d=e'],
  ['a b?', 'a%20b%3F'],
  ['für', 'f%C3%BCr'],
] as const) {
  test(`${name} stands in a path as ${segment}`, () => assert.equal(pathSegment(name), segment));
}
