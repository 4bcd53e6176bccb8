import assert from 'node:assert/strict';
import { test } from 'node:test';
import { customMetricsAnnotation, parseCustomMetrics } from './custom-metrics.ts';
import { horizontalPodAutoscaler } from './horizontal-pod-autoscaler.ts';
import { admit } from './testing/admit.ts';

function mistakesWith(annotation: string): readonly string[] {
  const { spec } = horizontalPodAutoscaler.example;
  const metadata = { name: 'a', annotations: { [customMetricsAnnotation]: annotation } };
  return admit(horizontalPodAutoscaler, { metadata, spec }).mistakes;
}

test('metrics are read with their targets', () => {
  assert.deepEqual(parseCustomMetrics('{"items":[{"name":"qps","value":"10"},{"name":"lag","value":1.5}]}'), [
    { name: 'qps', nanos: 10_000_000_000n },
    { name: 'lag', nanos: 1_500_000_000n },
  ]);
});

test('an autoscaler with sound metrics is taken', () => {
  assert.deepEqual(mistakesWith('{"items":[{"name":"qps","value":"100m"}]}'), []);
});

test('text of another form is invalid', () => {
  for (const text of [
    '',
    'qps',
    '[]',
    '{"items":[[]]}',
    '{"items":{}}',
    '{"items":[1]}',
    '{"items":[{"name":"a","value":"x"}]}',
  ]) {
    assert.deepEqual(mistakesWith(text), ['metadata.annotations Invalid'], text);
  }
});

test('there must be a metric, and each has a name and a positive target', () => {
  assert.deepEqual(mistakesWith('{}'), ['metadata.annotations Required']);
  assert.deepEqual(mistakesWith('{"items":[]}'), ['metadata.annotations Required']);
  assert.deepEqual(mistakesWith('{"items":[{"value":"1"}]}'), ['metadata.annotations Required']);
  assert.deepEqual(mistakesWith('{"items":[{"name":"a","value":"0"}]}'), ['metadata.annotations Invalid']);
  assert.deepEqual(mistakesWith('{"items":[{"name":"a"}]}'), ['metadata.annotations Invalid']);
});

test('null says as little as leaving something out', () => {
  assert.deepEqual(mistakesWith('null'), ['metadata.annotations Required']);
  assert.deepEqual(mistakesWith('{"items":null}'), ['metadata.annotations Required']);
  const nameless = ['metadata.annotations Required', 'metadata.annotations Invalid'];
  assert.deepEqual(mistakesWith('{"items":[null]}'), nameless);
  assert.deepEqual(mistakesWith('{"items":[{"name":null,"value":null}]}'), nameless);
});
