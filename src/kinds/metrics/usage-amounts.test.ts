import assert from 'node:assert/strict';
import { test } from 'node:test';
import { cpuText, memoryText, usageAmounts, windowText } from './usage-amounts.ts';

test('processor time is written exactly, memory in Ki', () => {
  assert.deepEqual(usageAmounts({ cpuNanos: 0, memoryBytes: 0 }), { cpu: '0', memory: '0' });
  assert.deepEqual(usageAmounts({ cpuNanos: 250_000_000, memoryBytes: 1 }), { cpu: '250m', memory: '1Ki' });
  assert.deepEqual(usageAmounts({ cpuNanos: 1.4, memoryBytes: 2 ** 40 }), { cpu: '1n', memory: '1073741824Ki' });
});

test('sums are shown in thousandths and in Ki', () => {
  assert.equal(cpuText(['1n', '2m']), '3m');
  assert.equal(cpuText([]), '0m');
  assert.equal(memoryText(['1Mi', '1Ki', '0']), '1025Ki');
});

test('windows are whole seconds, and never none', () => {
  assert.deepEqual([0, 1400, 14_600].map(windowText), ['1s', '1s', '15s']);
});
