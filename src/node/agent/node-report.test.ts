import assert from 'node:assert/strict';
import { afterEach, beforeEach, describe, it } from 'node:test';
import { node as nodeKind, type Node } from '../../kinds/core/node.ts';
import { isApiError } from '../../kinds/meta/api-error.ts';
import { openAgent, type AgentFixture } from '../testing/agent-fixture.ts';
import { runNodeAgent } from './run-node-agent.ts';

let fixture: AgentFixture;
beforeEach(async () => {
  fixture = await openAgent();
});
afterEach(() => fixture.close());

const getNode = (): Promise<Node> => fixture.client.get(nodeKind, { name: 'n1' });

describe('the node of an agent', () => {
  it('joins with what the machine has and where its agent listens', async () => {
    const { metadata, status, spec } = await getNode();
    assert.equal(metadata.labels?.['kubernetes.io/hostname'], 'n1');
    assert.equal(spec.externalID, 'n1');
    assert.equal(status.daemonEndpoints.kubeletEndpoint?.Port, fixture.run.port);
    assert.deepEqual(Object.keys(status.capacity ?? {}).sort(), ['cpu', 'memory', 'pods']);
    assert.deepEqual(status.allocatable, status.capacity);
    assert.deepEqual(status.addresses, [
      { type: 'InternalIP', address: '127.0.0.1' },
      { type: 'Hostname', address: 'n1' },
    ]);
    const ready = status.conditions?.find(({ type }) => type === 'Ready');
    assert.deepEqual([ready?.status, ready?.reason], ['True', 'KubeletReady']);
    assert.match(status.nodeInfo.kubeletVersion, /^v1\.2\.7\+wherry/);
    assert.equal(status.nodeInfo.containerRuntimeVersion, 'scripted://1');
  });

  it('says every ten seconds that it is well, and keeps what others wrote', async () => {
    const beat = async (): Promise<string | undefined> =>
      (await getNode()).status.conditions?.find(({ type }) => type === 'Ready')?.lastHeartbeatTime;
    const first = await beat();
    const node = await getNode();
    node.status.conditions?.push({ type: 'Mine', status: 'True' });
    await fixture.client.updateStatus(nodeKind, node);
    await fixture.pass(9.5);
    assert.equal(await beat(), first);
    await fixture.pass(0.5);
    assert.notEqual(await beat(), first);
    const types = (await getNode()).status.conditions?.map(({ type }) => type);
    assert.deepEqual(types, ['OutOfDisk', 'Ready', 'Mine']);
  });

  it('stays away when it is deleted, and joins again with its next agent', async () => {
    await fixture.client.delete(nodeKind, { name: 'n1' });
    await fixture.pass(30);
    await assert.rejects(getNode(), (error) => isApiError(error, 404));
    await fixture.restart();
    assert.equal((await getNode()).metadata.name, 'n1');
  });

  it('keeps its labels when it joins again, and takes new ones', async () => {
    await fixture.client.patch(nodeKind, { name: 'n1' }, { merge: { metadata: { labels: { mine: 'x', 'kubernetes.io/hostname': 'y' } } } }); // prettier-ignore
    await fixture.restart();
    const { labels } = (await getNode()).metadata;
    assert.deepEqual([labels?.['mine'], labels?.['kubernetes.io/hostname']], ['x', 'n1']);
  });

  it('cannot be started with amounts or addresses that are none', () => {
    const start = (node: object): unknown => runNodeAgent({ ...fixture, node } as never);
    assert.throws(() => start({ name: 'n2', addresses: [] }), /address/);
    const addresses = [{ type: 'InternalIP', address: '127.0.0.1' }];
    assert.throws(() => start({ name: 'n2', addresses, capacity: { cpu: 'many' } }), /"many" of cpu/);
  });
});
