import assert from 'node:assert/strict';
import { test } from 'node:test';
import { pod as podKind, type Pod } from '../pod.ts';
import { annotatedUsage, cpuUsageAnnotation, memoryUsageAnnotation } from './usage-annotations.ts';

function podWith(annotations: Record<string, string>): Pod {
  return { ...podKind.example, metadata: { name: 'web', annotations } };
}

test('usage is read in thousandths of a processor and in bytes', () => {
  const pod = podWith({ [cpuUsageAnnotation]: '1.5', [memoryUsageAnnotation]: '64Mi' });
  assert.deepEqual(annotatedUsage(pod), { cpu: 1500, memory: 64 * 1024 * 1024 });
});

test('what is not said, or is no amount, is not known', () => {
  assert.deepEqual(annotatedUsage(podWith({})), {});
  assert.deepEqual(annotatedUsage(podWith({ [cpuUsageAnnotation]: 'much', [memoryUsageAnnotation]: '0' })), {
    memory: 0,
  });
});
