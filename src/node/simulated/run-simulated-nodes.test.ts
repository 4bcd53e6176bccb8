import assert from 'node:assert/strict';
import { afterEach, beforeEach, describe, it } from 'node:test';
import { setImmediate as turn } from 'node:timers/promises';
import { InProcessClient } from '../../client/in-process-client.ts';
import { SharedInformers } from '../../client/shared-informers.ts';
import { node as nodeKind, type Node } from '../../kinds/core/node.ts';
import type { Kind } from '../../kinds/kind.ts';
import { isApiError } from '../../kinds/meta/api-error.ts';
import type { ApiObject } from '../../kinds/meta/object-meta.ts';
import { FailingClient } from '../testing/failing-client.ts';
import { until } from '../testing/until.ts';
import { podAnnotations, unreachableAnnotation } from './annotations.ts';
import { nodeNames, runSimulatedNodes } from './run-simulated-nodes.ts';
import { openNodes, type NodesFixture } from './testing/nodes-fixture.ts';

let fixture: NodesFixture;
beforeEach(async () => {
  fixture = await openNodes();
});
afterEach(() => fixture.close());

async function reopen(options: Parameters<typeof openNodes>[0]): Promise<void> {
  await fixture.close();
  fixture = await openNodes(options);
}

async function getNode(name = 'node-1'): Promise<Node> {
  return fixture.client.get(nodeKind, { name });
}

describe('simulated nodes', () => {
  it('join with what they have', async () => {
    await reopen({ names: nodeNames(3), capacity: { cpu: '16' }, labels: { zone: 'a' } });
    const { items } = await fixture.client.list(nodeKind);
    assert.deepEqual(items.map(({ metadata }) => metadata.name), ['node-1', 'node-2', 'node-3']); // prettier-ignore
    const { metadata, status, spec } = items[1]!;
    assert.deepEqual(status.allocatable, { cpu: '16', memory: '8Gi', pods: '110' });
    assert.equal(metadata.labels?.['kubernetes.io/hostname'], 'node-2');
    assert.equal(metadata.labels?.['zone'], 'a');
    assert.equal(spec.podCIDR, '10.64.1.0/24');
    const conditions = status.conditions?.map(({ type, status }) => [type, status]);
    assert.deepEqual(conditions, [['OutOfDisk', 'False'], ['Ready', 'True']]); // prettier-ignore
    assert.equal(status.addresses?.find(({ type }) => type === 'InternalIP')?.address, '172.16.0.2');
    assert.match(status.nodeInfo.containerRuntimeVersion, /^simulated:/);
  });

  it('say that they are well, one after the other', async () => {
    await reopen({ names: nodeNames(2), heartbeatMs: 10_000 });
    const beat = async (name: string): Promise<string | undefined> =>
      (await getNode(name)).status.conditions?.[1]?.lastHeartbeatTime;
    const first = await beat('node-1');
    await fixture.pass(5000);
    assert.notEqual(await beat('node-1'), first);
    assert.equal(await beat('node-2'), first);
    await fixture.pass(5000);
    assert.notEqual(await beat('node-2'), first);
  });

  it('keep what others wrote', async () => {
    const labels = { mine: 'x' };
    await fixture.client.patch(nodeKind, { name: 'node-1' }, { merge: { metadata: { labels }, spec: { unschedulable: true } } }); // prettier-ignore
    await fixture.pass(20_000);
    const node = await getNode();
    assert.equal(node.metadata.labels?.['mine'], 'x');
    assert.equal(node.spec.unschedulable, true);
  });

  it('come back as ready when they were taken for lost', async () => {
    const node = await getNode();
    node.status.conditions = [{ type: 'Ready', status: 'Unknown' }, { type: 'Other', status: 'True' }]; // prettier-ignore
    await fixture.client.updateStatus(nodeKind, node);
    await fixture.pass(10_000);
    const conditions = (await getNode()).status.conditions?.map(({ type, status }) => `${type} ${status}`);
    assert.deepEqual(conditions, ['OutOfDisk False', 'Ready True', 'Other True']);
  });

  it('stay away when they are deleted', async () => {
    await fixture.client.delete(nodeKind, { name: 'node-1' });
    await fixture.pass(30_000);
    await assert.rejects(getNode(), (error) => isApiError(error, 404));
  });

  it('fall silent when they are told to, and speak again', async () => {
    const before = (await getNode()).status.conditions?.[1]?.lastHeartbeatTime;
    const annotate = (value: string | null): Promise<Node> =>
      fixture.client.patch(nodeKind, { name: 'node-1' }, { merge: { metadata: { annotations: { [unreachableAnnotation]: value } } } }); // prettier-ignore
    await annotate('true');
    await fixture.createPod('web');
    await fixture.pass(60_000);
    assert.equal((await getNode()).status.conditions?.[1]?.lastHeartbeatTime, before);
    assert.equal(await fixture.stateOf(), 'Pending');
    await annotate(null);
    await fixture.run.settled();
    assert.notEqual((await getNode()).status.conditions?.[1]?.lastHeartbeatTime, before);
    assert.equal(await fixture.stateOf(), 'Running ready');
  });

  it('are those that were there when they start again, with the addresses that they had', async () => {
    await fixture.createPod('web');
    const [node, { status }] = [await getNode(), await fixture.getPod('web')];
    await fixture.restart({ names: nodeNames(2) });
    const again = await getNode();
    assert.equal(again.metadata.uid, node.metadata.uid);
    assert.notEqual(again.status.nodeInfo.bootID, node.status.nodeInfo.bootID);
    assert.equal((await getNode('node-2')).spec.podCIDR, '10.64.1.0/24');
    await fixture.createPod('other');
    assert.deepEqual((await fixture.getPod('web')).status, status);
    assert.notEqual((await fixture.getPod('other')).status.podIP, status.podIP);
  });

  it('of two processes have different addresses', async () => {
    const others = runSimulatedNodes({ ...fixture, names: nodeNames(2, 'other'), capacity: { pods: '500' } });
    await others.settled();
    await others.close();
    assert.equal((await getNode('other-1')).spec.podCIDR, '10.64.2.0/23');
    assert.equal((await getNode('other-1')).status.addresses?.[1]?.address, '172.16.0.2');
  });

  it('cannot be made with capacities that are none, nor twice with one name', async () => {
    assert.throws(() => runSimulatedNodes({ ...fixture, names: ['n'], capacity: { cpu: 'much' } }), RangeError);
    const run = runSimulatedNodes({ ...fixture, names: ['n', 'n'] });
    await assert.rejects(run.started, RangeError);
    await run.close();
  });

  it('cannot be made under a name that the server refuses', async () => {
    const run = runSimulatedNodes({ ...fixture, names: ['Not A Name'] });
    await assert.rejects(run.started, (error) => isApiError(error, 422));
    await run.close();
  });

  it('of which one is refused join no further', async () => {
    const run = runSimulatedNodes({ ...fixture, names: ['Not A Name', ...nodeNames(100, 'more')], parallelWrites: 2 });
    await assert.rejects(run.started, (error) => isApiError(error, 422));
    await run.close();
    // Whoever would still join has the time for it.
    for (let turns = 0; turns < 200; turns++) await turn();
    const { items } = await fixture.client.list(nodeKind);
    assert.ok(items.length < 10, `${items.length} nodes`);
  });
});

describe('closing simulated nodes', () => {
  it('leaves nodes and pods as they are', async () => {
    await fixture.createPod('web', { [podAnnotations.readyAfter]: '5s' });
    await fixture.run.close();
    fixture.clock.step(60_000);
    assert.equal(await fixture.stateOf(), 'Running');
    assert.equal((await getNode()).status.conditions?.[1]?.status, 'True');
  });

  it('does not wait for a server that is silent', async () => {
    const client = new FailingClient({ registry: fixture.registry, user: { name: 'tester', groups: [] } });
    await fixture.restart({ client });
    client.isSilent = true;
    fixture.clock.step(10_000);
    await until(() => client.waiting === 1);
    await fixture.run.close();
    assert.equal(client.waiting, 0);
  });

  it('while they join ends that', async () => {
    const stopping = new AbortController();
    const client = new StoppingClient({ registry: fixture.registry, user: { name: 'tester', groups: [] } });
    client.onCreated = () => stopping.abort();
    const names = nodeNames(100, 'more');
    const run = runSimulatedNodes({ ...fixture, client, names, parallelWrites: 2, signal: stopping.signal });
    await assert.rejects(run.started, /stopped/);
    await run.close();
    const { items } = await fixture.client.list(nodeKind);
    assert.ok(items.length < 10, `${items.length} nodes`);
  });

  it('before they have joined makes the start fail, and leaves informers open that others use', async () => {
    const informers = new SharedInformers(fixture);
    const run = runSimulatedNodes({ ...fixture, informers, names: ['n'] });
    const starting = assert.rejects(run.started, /stopped/);
    await run.close();
    await starting;
    await informers.synced();
    informers.close();
  });
});

/** Tells of every object that it has created. */
class StoppingClient extends InProcessClient {
  onCreated = (): void => undefined;

  override async create<T extends ApiObject>(kind: Kind<T>, object: T): Promise<T> {
    const created = await super.create(kind, object);
    this.onCreated();
    return created;
  }
}
