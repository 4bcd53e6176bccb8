import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { shortDuration } from './short-duration.ts';

const [second, minute, hour, day] = [1000, 60_000, 3_600_000, 86_400_000];

describe('shortDuration', () => {
  const cases: readonly [ms: number, text: string][] = [
    [0, '0s'],
    [999, '0s'],
    [119 * second, '119s'],
    [120 * second, '2m'],
    [330 * second, '5m30s'],
    [10 * minute, '10m'],
    [3 * hour - second, '179m'],
    [3 * hour, '3h'],
    [5 * hour + 20 * minute, '5h20m'],
    [8 * hour + 20 * minute, '8h'],
    [47 * hour, '47h'],
    [48 * hour, '2d'],
    [3 * day + 4 * hour, '3d4h'],
    [8 * day + 4 * hour, '8d'],
    [729 * day, '729d'],
    [730 * day, '2y'],
    [800 * day, '2y70d'],
    [3000 * day, '8y'],
    [-second, '0s'],
    [-2 * second, '<invalid>'],
    [NaN, '<invalid>'],
  ];
  for (const [ms, text] of cases) it(`writes ${ms} ms as ${text}`, () => assert.equal(shortDuration(ms), text));
});
