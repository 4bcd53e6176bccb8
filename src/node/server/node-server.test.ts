import assert from 'node:assert/strict';
import { totalmem } from 'node:os';
import { afterEach, beforeEach, describe, it } from 'node:test';
import type { Pod } from '../../kinds/core/pod.ts';
import type { Status } from '../../kinds/meta/status.ts';
import { connectionTo, openAgent, type AgentFixture } from '../testing/agent-fixture.ts';
import { dialNode, getFromNode, type NodeAnswer, type NodeConnection } from '../testing/node-connection.ts';
import type { UsageSummary } from './usage-summary.ts';

let fixture: AgentFixture;
let connection: NodeConnection;
beforeEach(async () => {
  fixture = await openAgent();
  connection = connectionTo(fixture);
});
afterEach(() => fixture.close());

const get = (path: string, method?: string): Promise<NodeAnswer> => getFromNode(connection, path, method);

async function readUsage(): Promise<UsageSummary> {
  return JSON.parse((await get('/stats/summary')).body) as UsageSummary;
}

describe('the endpoint of a node', () => {
  it('answers API servers only', async () => {
    assert.deepEqual(await get('/healthz'), { status: 200, body: 'ok' });
    const { stranger, impostor } = fixture.certificates;
    assert.equal((await getFromNode({ ...connection, pair: stranger }, '/healthz')).status, 403);
    await assert.rejects(getFromNode({ ...connection, pair: impostor }, '/healthz'));
    await assert.rejects(getFromNode({ ...connection, pair: undefined }, '/healthz'));
    const asStranger = dialNode({ ...connection, pair: stranger }, '/exec/one/web/main?command=x&stdout=1', 'v4.channel.k8s.io'); // prettier-ignore
    await assert.rejects(asStranger, /answered with 403/);
  });

  it('refuses what it does not have with a status', async () => {
    const refusals = [
      ['/nothing', 'GET', 404],
      ['/containerLogs/one/web/main', 'GET', 404],
      ['/containerLogs/one', 'GET', 404],
      ['/pods', 'POST', 405],
      ['/exec/one/web/main', 'POST', 400],
      ['/%zz', 'GET', 400],
    ] as const;
    for (const [path, method, code] of refusals) {
      const { status, body } = await get(path, method);
      assert.deepEqual([status, (JSON.parse(body) as Status).code], [code, code], path);
    }
  });

  it('lists its pods as they are', async () => {
    await fixture.createPod('web');
    const { kind, items } = JSON.parse((await get('/pods')).body) as { kind: string; items: Pod[] };
    assert.equal(kind, 'PodList');
    assert.deepEqual(items.map(({ metadata, status }) => [metadata.name, status.phase]), [['web', 'Running']]); // prettier-ignore
  });

  it('tells what pods use', async () => {
    await fixture.createPod('web');
    await fixture.pass(2);
    const { pods } = await readUsage();
    assert.deepEqual(
      pods.map(({ podRef }) => podRef.name),
      ['web'],
    );
    const [container] = pods[0]!.containers;
    assert.equal(container?.name, 'main');
    assert.equal(container.cpu.usageNanoCores, 250_000_000);
    assert.equal(container.cpu.windowSeconds, 2);
    assert.equal(container.cpu.usageCoreNanoSeconds, 500_000_000);
    assert.equal(container.memory.workingSetBytes, 64 * 1024 * 1024);
  });

  it('tells what a container that started anew uses, not what the one before did', async () => {
    await fixture.createPod('web');
    await fixture.pass(60);
    fixture.machine.find('main').end(1);
    await fixture.pass(15);
    const { pods } = await readUsage();
    assert.equal(pods[0]?.containers[0]?.cpu.usageNanoCores, 250_000_000);
  });

  it('says nothing of a rate until it has something to compare with', async () => {
    await fixture.createPod('web');
    await fixture.pass(60);
    await fixture.restart();
    connection = connectionTo(fixture);
    const [before] = (await readUsage()).pods;
    assert.equal(before?.containers[0]?.cpu.usageCoreNanoSeconds, 15_000_000_000);
    assert.equal(before?.containers[0]?.cpu.usageNanoCores, undefined);
    await fixture.pass(10);
    const [after] = (await readUsage()).pods;
    assert.equal(after?.containers[0]?.cpu.usageNanoCores, 250_000_000);
  });

  it('tells what the whole machine uses, pods and all else', async () => {
    await fixture.pass(3);
    const { node } = await readUsage();
    assert.equal(node.nodeName, 'n1');
    assert.ok(node.memory.workingSetBytes > 10_000_000 && node.memory.workingSetBytes <= totalmem());
    assert.ok(node.cpu.usageCoreNanoSeconds > 0 && node.cpu.usageNanoCores! >= 0);
  });
});
