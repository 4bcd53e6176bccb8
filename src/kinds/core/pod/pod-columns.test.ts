import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { shownCells } from '../../testing/shown-cells.ts';
import { pod, type Pod } from '../pod.ts';
import type { ContainerState, ContainerStatus } from './container-status.ts';
import { podSummary } from './pod-columns.ts';

function container(state: ContainerState, ready = false, restartCount = 0): ContainerStatus {
  return { name: 'main', state, ready, restartCount, image: '', imageID: '' };
}

const running: ContainerState = { running: { startedAt: '2030-01-01T00:00:00Z' } };
const done: ContainerState = { terminated: { exitCode: 0, reason: 'Completed' } };

function podWith(status: Pod['status'], metadata: Pod['metadata'] = { name: 'web' }): Pod {
  return { ...pod.example, metadata, status };
}

describe('the status of a pod in one word', () => {
  const cases: readonly [what: string, status: Pod['status'], word: string][] = [
    ['the phase', { phase: 'Pending' }, 'Pending'],
    ['the reason for the phase', { phase: 'Failed', reason: 'Evicted' }, 'Evicted'],
    ['why a container waits', { phase: 'Pending', containerStatuses: [container({ waiting: { reason: 'ImagePullBackOff' } })] }, 'ImagePullBackOff'],
    ['the phase while a container waits for no reason', { phase: 'Pending', containerStatuses: [container({ waiting: {} })] }, 'Pending'],
    ['why a container ended', { phase: 'Failed', containerStatuses: [container({ terminated: { exitCode: 1, reason: 'Error' } })] }, 'Error'],
    ['the exit code without a reason', { phase: 'Failed', containerStatuses: [container({ terminated: { exitCode: 3 } })] }, 'ExitCode:3'],
    ['the signal without a reason', { phase: 'Failed', containerStatuses: [container({ terminated: { exitCode: 137, signal: 9 } })] }, 'Signal:9'],
    ['the first container in trouble', { phase: 'Running', containerStatuses: [container(running, true), container({ waiting: { reason: 'CrashLoopBackOff' } }), container(done)] }, 'CrashLoopBackOff'],
    ['Completed when all is done', { phase: 'Succeeded', containerStatuses: [container(done)] }, 'Completed'],
    ['NotReady when a part is done and the rest is not ready as a whole', { phase: 'Running', containerStatuses: [container(done), container(running, true)] }, 'NotReady'],
    ['Running when a part is done and the pod is ready', { phase: 'Running', conditions: [{ type: 'Ready', status: 'True' }], containerStatuses: [container(done), container(running, true)] }, 'Running'],
  ]; // prettier-ignore
  for (const [what, status, word] of cases) {
    it(`is ${what}`, () => assert.equal(podSummary(podWith(status)), word));
  }

  it('is Terminating once deletion was asked for, and Unknown where the node is lost', () => {
    const metadata = { name: 'web', deletionTimestamp: '2030-01-01T00:00:00Z' };
    const containerStatuses = [container(running, true)];
    assert.equal(podSummary(podWith({ phase: 'Running', containerStatuses }, metadata)), 'Terminating');
    assert.equal(podSummary(podWith({ phase: 'Running', reason: 'NodeLost' }, metadata)), 'Unknown');
  });
});

describe('the columns of a pod', () => {
  it('count containers that are ready, and restarts', () => {
    const shown: Pod = {
      ...pod.example,
      metadata: { name: 'web', creationTimestamp: '2030-01-01T00:00:00Z' },
      spec: {
        nodeName: 'node-1',
        containers: [
          { name: 'a', image: 'a' },
          { name: 'b', image: 'b' },
        ],
      },
      status: {
        phase: 'Running',
        podIP: '10.1.0.4',
        containerStatuses: [container(running, true, 2), container(running, false, 3)],
      },
    };
    assert.deepEqual(shownCells(pod, shown), {
      Name: 'web',
      Ready: '1/2',
      Status: 'Running',
      Restarts: 5,
      Age: '60m',
      IP: '10.1.0.4',
      Node: 'node-1',
    });
  });

  it('hold a place for what is not there yet', () => {
    const cells = shownCells(pod, podWith({ phase: 'Pending' }));
    assert.deepEqual(
      [cells['Ready'], cells['Age'], cells['IP'], cells['Node']],
      ['0/1', '<unknown>', '<none>', '<none>'],
    );
  });
});
