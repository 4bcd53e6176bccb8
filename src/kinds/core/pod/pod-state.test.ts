import assert from 'node:assert/strict';
import { test } from 'node:test';
import { pod, type Pod } from '../pod.ts';
import { isActive, isAvailable, isFinished, isReady, millisecondsUntilAvailable } from './pod-state.ts';

const now = Date.parse('2030-01-01T00:01:00Z');

function inPhase(phase: string, deletionTimestamp?: string): Pod {
  return { ...pod.example, metadata: { name: 'web', deletionTimestamp }, status: { phase } };
}

function ready(status: string, lastTransitionTime?: string): Pod {
  const conditions = [
    { type: 'PodScheduled', status: 'True' },
    { type: 'Ready', status, lastTransitionTime },
  ];
  return { ...pod.example, status: { phase: 'Running', conditions } };
}

test('a pod has ended when it succeeded or failed', () => {
  const phases = ['Pending', 'Running', 'Unknown', 'Succeeded', 'Failed'];
  assert.deepEqual(
    phases.filter((phase) => isFinished(inPhase(phase))),
    ['Succeeded', 'Failed'],
  );
});

test('a pod that has ended or is to go does not count', () => {
  assert.equal(isActive(inPhase('Running')), true);
  assert.equal(isActive(inPhase('Failed')), false);
  assert.equal(isActive(inPhase('Running', '2030-01-01T00:00:00Z')), false);
});

test('only the condition Ready says whether a pod is ready', () => {
  assert.equal(isReady(ready('True')), true);
  assert.equal(isReady(ready('False')), false);
  assert.equal(isReady(ready('Unknown')), false);
  assert.equal(isReady(inPhase('Running')), false);
});

test('a pod is available once it was ready for long enough', () => {
  const since = '2030-01-01T00:00:30Z';
  assert.equal(isAvailable(ready('True', since), 30, now), true);
  assert.equal(isAvailable(ready('True', since), 31, now), false);
  assert.equal(millisecondsUntilAvailable(ready('True', since), 31, now), 1000);
  assert.equal(millisecondsUntilAvailable(ready('False', since), 0, now), Infinity);
});

test('without a time of its own, readiness counts only where no time is asked for', () => {
  assert.equal(isAvailable(ready('True'), 0, now), true);
  assert.equal(isAvailable(ready('True'), 1, now), false);
});
