import assert from 'node:assert/strict';
import { test } from 'node:test';
import { equalTemplates, withoutLabels } from './equal-templates.ts';
import type { PodTemplateSpec } from './pod-template-spec.ts';

function template(labels: Record<string, string> | undefined, cpu = '500m'): PodTemplateSpec {
  return {
    metadata: { labels },
    spec: { containers: [{ name: 'main', image: 'web:1', resources: { requests: { cpu } } }] },
  };
}

test('templates are equal when their pods are, whatever the order of labels and the writing of amounts', () => {
  assert.ok(equalTemplates(template({ a: '1', b: '2' }), template({ b: '2', a: '1' }, '0.5')));
  assert.ok(!equalTemplates(template({ a: '1' }), template({ a: '1' }, '600m')));
  assert.ok(!equalTemplates(template({ a: '1' }), template({ a: '2' })));
});

test('labels that are left out make no difference', () => {
  assert.ok(equalTemplates(template({ a: '1', hash: 'x' }), template({ a: '1' }), ['hash']));
  assert.ok(equalTemplates(template({ hash: 'x' }), template(undefined), ['hash']));
  assert.ok(!equalTemplates(template({ a: '1', hash: 'x' }), template({ hash: 'x' }), ['hash']));
});

test('leaving out labels does not change the template', () => {
  const given = template({ a: '1', hash: 'x' });
  assert.deepEqual(withoutLabels(given, ['hash']).metadata.labels, { a: '1' });
  assert.deepEqual(given.metadata.labels, { a: '1', hash: 'x' });
});
