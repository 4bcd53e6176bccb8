import assert from 'node:assert/strict';
import { test } from 'node:test';
import { completeSelector } from './pod-template-rules.ts';

function selectorFrom(labels: Record<string, string> | undefined): unknown {
  const spec = { template: { metadata: { labels }, spec: { containers: [] } } };
  completeSelector(spec);
  return (spec as { selector?: unknown }).selector;
}

test('the labels of the template make the selector', () => {
  assert.deepEqual(selectorFrom({ app: 'web' }), { matchLabels: { app: 'web' } });
  assert.equal(selectorFrom(undefined), undefined);
});

test('a selector made from empty labels is as empty as one that was written so', () => {
  assert.deepEqual(selectorFrom({}), {});
});
