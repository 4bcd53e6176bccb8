import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { shownCells, type Cells } from '../testing/shown-cells.ts';
import { node, type Node } from './node.ts';

function show(parts: { metadata?: Node['metadata']; spec?: Node['spec']; status?: Partial<Node['status']> }): Cells {
  const { example } = node;
  return shownCells(node, { ...example, ...parts, status: { ...example.status, ...parts.status } });
}

function ready(status: string): Partial<Node['status']> {
  return { conditions: [{ type: 'Ready', status }] };
}

describe('the columns of a node', () => {
  it('say whether it takes and runs pods', () => {
    assert.equal(show({})['Status'], 'Unknown');
    assert.equal(show({ status: ready('True') })['Status'], 'Ready');
    assert.equal(show({ status: ready('Unknown') })['Status'], 'NotReady');
    const cordoned = show({ spec: { unschedulable: true }, status: ready('True') });
    assert.equal(cordoned['Status'], 'Ready,SchedulingDisabled');
  });

  it('show its roles by its labels', () => {
    const labels = { 'node-role.kubernetes.io/worker': '', 'kubernetes.io/role': 'edge', other: 'x' };
    assert.equal(show({ metadata: { name: 'one', labels } })['Roles'], 'edge,worker');
    assert.equal(show({})['Roles'], '<none>');
  });

  it('show its addresses and what it runs', () => {
    const addresses = [{ type: 'InternalIP', address: '10.9.0.1' }];
    const nodeInfo = { ...node.example.status.nodeInfo, kubeletVersion: 'v1.2.7', osImage: 'Debian' };
    const cells = show({ status: { addresses, nodeInfo } });
    assert.deepEqual([cells['Version'], cells['Internal-IP'], cells['External-IP']], ['v1.2.7', '10.9.0.1', '<none>']);
    assert.deepEqual([cells['OS-Image'], cells['Kernel-Version']], ['Debian', '<unknown>']);
  });
});
