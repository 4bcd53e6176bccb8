import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseDuration } from './duration.ts';

const good = {
  '1s': 1000,
  '200ms': 200,
  '1.5s': 1500,
  '1h30m': 5_400_000,
  '2m': 120_000,
  '3': 3000,
  '0': 0,
  '0.5': 500,
};
for (const [text, ms] of Object.entries(good)) test(`${text} is ${ms} ms`, () => assert.equal(parseDuration(text), ms));

for (const text of ['', 's', ' 1s', '-1s', '1d', '1s2', 'soon', '.5s']) {
  test(`"${text}" is no duration`, () => assert.equal(parseDuration(text), undefined));
}
