import assert from 'node:assert/strict';
import { afterEach, beforeEach, describe, it } from 'node:test';
import { setImmediate as turn } from 'node:timers/promises';
import { node as nodeKind } from '../../kinds/core/node.ts';
import { pod as podKind } from '../../kinds/core/pod.ts';
import { isApiError } from '../../kinds/meta/api-error.ts';
import { openAgent, type AgentFixture } from '../testing/agent-fixture.ts';
import { FailingClient } from '../testing/failing-client.ts';
import { until } from '../testing/until.ts';
import { runNodeAgent } from './run-node-agent.ts';

let fixture: AgentFixture;
beforeEach(async () => {
  fixture = await openAgent();
});
afterEach(() => fixture.close());

/** Another agent in place of the one that is there. */
async function openWithFailingClient(): Promise<FailingClient> {
  await fixture.close();
  let client!: FailingClient;
  fixture = await openAgent(({ registry }) => {
    client = new FailingClient({ registry, user: { name: 'tester', groups: [] } });
    return { client };
  });
  return client;
}

describe('an agent that is started again', () => {
  it('takes over what runs, and nothing is started twice', async () => {
    fixture.machine.scripts.set('main', [{ runFor: 1000, exitCode: 1 }, {}]);
    await fixture.createPod('web');
    await fixture.pass(2);
    const before = await fixture.getPod('web');
    assert.equal(before.status.containerStatuses?.[0]?.restartCount, 1);
    await fixture.restart();
    assert.deepEqual((await fixture.getPod('web')).status, before.status);
    assert.equal(fixture.machine.runsOf('main').length, 2);
    fixture.machine.find('main').end(1);
    await fixture.pass(9.5);
    assert.equal((await fixture.containerOf('web')).state?.waiting?.reason, 'CrashLoopBackOff');
    await fixture.pass(0.5);
    assert.equal((await fixture.containerOf('web')).restartCount, 2);
  });

  it('notices what ended meanwhile', async () => {
    await fixture.createPod('once', { restartPolicy: 'Never' }, { name: 'once' });
    await fixture.createPod('web');
    await fixture.restart(async () => {
      fixture.machine.find('once').end(3);
      fixture.machine.find('main').end(1);
    });
    assert.equal((await fixture.getPod('once')).status.phase, 'Failed');
    assert.equal((await fixture.containerOf('once', 'once')).state?.terminated?.exitCode, 3);
    assert.equal((await fixture.containerOf('web')).restartCount, 1);
    assert.notEqual((await fixture.containerOf('web')).state?.running, undefined);
  });

  it('starts what the machine has lost, counting on', async () => {
    await fixture.createPod('once', { restartPolicy: 'Never' }, { name: 'once' });
    await fixture.createPod('web');
    await fixture.restart(async () => void fixture.machine.containers.splice(0));
    const { state, lastState, restartCount } = await fixture.containerOf('web');
    assert.notEqual(state?.running, undefined);
    assert.equal(restartCount, 1);
    assert.equal(lastState?.terminated?.reason, 'ContainerLost');
    assert.equal((await fixture.getPod('once')).status.phase, 'Failed');
    assert.deepEqual(fixture.machine.runsOf('once'), []);
  });

  it('stops what belongs to pods that are gone', async () => {
    await fixture.createPod('web');
    await fixture.restart(() =>
      fixture.client.delete(podKind, { namespace: 'one', name: 'web' }, { gracePeriodSeconds: 0 }),
    );
    await fixture.pass(1);
    assert.deepEqual(fixture.machine.record, ['0 start main 0', '0 stop main 30s', '0 remove main 0', '0 release web']);
  });

  it('tries again when what belongs to pods that are gone cannot be removed', async () => {
    await fixture.createPod('web');
    let tries = 0;
    fixture.machine.beforeRelease = () => {
      if (++tries <= 3) throw new Error('busy');
    };
    await fixture.restart(() =>
      fixture.client.delete(podKind, { namespace: 'one', name: 'web' }, { gracePeriodSeconds: 0 }),
    );
    await fixture.pass(6.5);
    assert.equal(fixture.machine.places.size, 1);
    await fixture.pass(0.5);
    assert.equal(fixture.machine.places.size, 0);
  });

  it('stops what belongs to a pod that goes while it starts', async () => {
    await fixture.createPod('web');
    fixture.machine.beforeReleaseOthers = async () => {
      await fixture.client.delete(podKind, { namespace: 'one', name: 'web' }, { gracePeriodSeconds: 0 });
      for (let turns = 0; turns < 10; turns++) await turn();
    };
    await fixture.restart();
    assert.equal(fixture.machine.containers.length, 0);
    assert.equal(fixture.machine.places.size, 0);
  });

  it('leaves a container alone whose start with another image was never reported', async () => {
    const client = await openWithFailingClient();
    await fixture.createPod('web');
    client.isDown = true;
    const patch = { spec: { containers: [{ name: 'main', image: 'image:2' }] } };
    await fixture.client.patch(podKind, { namespace: 'one', name: 'web' }, { strategic: patch });
    await fixture.pass(1);
    client.isDown = false;
    await fixture.restart();
    await fixture.pass(1);
    assert.deepEqual(fixture.machine.record, ['0 start main 0', '0 stop main 30s', '0 start main 1']);
    assert.equal((await fixture.containerOf('web')).image, 'image:2');
  });

  it('goes on ending what was deleted', async () => {
    fixture.machine.scripts.set('main', [{ stopAfter: 3000 }]);
    await fixture.createPod('web');
    await fixture.restart(() => fixture.client.delete(podKind, { namespace: 'one', name: 'web' }));
    assert.equal(await fixture.exists('web'), true);
    await fixture.pass(3);
    assert.equal(await fixture.exists('web'), false);
    assert.equal(fixture.machine.places.size, 0);
  });

  it('finishes with what has ended before, for its log stays until the pod goes', async () => {
    fixture.machine.scripts.set('main', [{ runFor: 1000 }]);
    await fixture.createPod('web', { restartPolicy: 'Never' });
    await fixture.pass(1);
    const { status } = await fixture.getPod('web');
    await fixture.restart();
    assert.deepEqual((await fixture.getPod('web')).status, status);
    assert.equal(fixture.machine.containers.length, 1);
    await fixture.client.delete(podKind, { namespace: 'one', name: 'web' });
    await fixture.settle();
    assert.equal(fixture.machine.containers.length, 0);
    assert.equal(fixture.machine.places.size, 0);
  });
});

describe('an agent that is closed', () => {
  it('leaves its containers to the next one', async () => {
    await fixture.createPod('web');
    await fixture.run.close();
    assert.equal(fixture.machine.find('main').exit, undefined);
  });

  it('stops and removes everything when it is asked to, within the time that it has', async () => {
    fixture.machine.scripts.set('main', [{ stopAfter: Infinity }]);
    await fixture.createPod('web');
    const closed = fixture.run.close({ stopPodsWithinMs: 5000 });
    // The server, the queues and the machine each have their turn.
    await until(() => fixture.machine.record.length === 2);
    fixture.clock.step(5000);
    await closed;
    assert.deepEqual(fixture.machine.record.slice(1), ['0 stop main 5s', '5 remove main 0', '5 release web']);
    assert.equal(await fixture.exists('web'), true);
  });

  it('stops and removes also what belongs to pods that are gone', async () => {
    fixture.machine.scripts.set('main', [{ stopAfter: Infinity }]);
    await fixture.createPod('web');
    await fixture.restart(() =>
      fixture.client.delete(podKind, { namespace: 'one', name: 'web' }, { gracePeriodSeconds: 0 }),
    );
    const closed = fixture.run.close({ stopPodsWithinMs: 5000 });
    await until(() => fixture.machine.record.length === 3);
    fixture.clock.step(5000);
    await closed;
    const record = ['0 stop main 30s', '0 stop main 5s', '5 remove main 0', '5 release web'];
    assert.deepEqual(fixture.machine.record.slice(1), record);
  });

  it('tries once more to remove what belongs to pods that are gone, and then leaves it', async () => {
    await fixture.createPod('web');
    let tries = 0;
    fixture.machine.beforeRelease = () => {
      tries++;
      throw new Error('busy');
    };
    await fixture.restart(() =>
      fixture.client.delete(podKind, { namespace: 'one', name: 'web' }, { gracePeriodSeconds: 0 }),
    );
    assert.equal(tries, 1);
    await fixture.run.close({ stopPodsWithinMs: 5000 });
    assert.equal(tries, 2);
    fixture.clock.step(60_000);
    assert.equal(tries, 2);
  });

  it('does not wait for what cannot be removed', async () => {
    await fixture.createPod('web');
    fixture.machine.beforeRelease = () => {
      throw new Error('busy');
    };
    await fixture.run.close({ stopPodsWithinMs: 5000 });
    assert.equal(fixture.machine.containers.length, 0);
    assert.equal(fixture.machine.places.size, 1);
  });

  it('does not wait for pods that cannot be made ready', async () => {
    await fixture.createPod('web', { volumes: [{ name: 'config', configMap: { name: 'missing' } }] });
    await fixture.pass(5);
    await fixture.run.close({ stopPodsWithinMs: 5000 });
    assert.deepEqual(fixture.machine.record, ['5 release web']);
  });

  it('before it has started ends without having joined', async () => {
    await fixture.run.close();
    const { tls } = fixture.certificates;
    const run = runNodeAgent({
      ...fixture,
      runtime: fixture.machine.open(),
      node: { name: 'n2', addresses: [{ type: 'InternalIP', address: '127.0.0.1' }] },
      server: { address: '127.0.0.1', port: 0, tls },
      signal: AbortSignal.abort(),
    });
    await assert.rejects(run.started);
    await run.close();
    await assert.rejects(fixture.client.get(nodeKind, { name: 'n2' }), (error) => isApiError(error, 404));
  });
});

describe('an agent whose server is silent', () => {
  it('does not wait for it at the end', async () => {
    const client = await openWithFailingClient();
    await fixture.createPod('web');
    client.isSilent = true;
    fixture.machine.find('main').end(1);
    fixture.clock.step(10_000);
    // How the pod fares, and that the node is well.
    await until(() => client.waiting === 2);
    await fixture.run.close();
    assert.equal(client.waiting, 0);
  });
});

describe('pods whose server is silent', () => {
  /** Begins with the pod, and stops everything when something is read for it. */
  async function stopMidway(...pod: Parameters<AgentFixture['createPod']>): Promise<void> {
    const client = await openWithFailingClient();
    client.isSilent = true;
    fixture.createPod(...pod).catch(() => undefined);
    await until(() => client.reading > 0);
    await fixture.run.close({ stopPodsWithinMs: 1000 });
    assert.equal(fixture.machine.places.size, 0);
  }

  it('are stopped while their variables are read', async () => {
    const env = [{ name: 'A', valueFrom: { configMapKeyRef: { name: 'settings', key: 'a' } } }];
    await stopMidway('web', {}, { env });
  });

  it('are stopped while their volumes are set up', async () => {
    await stopMidway('web', { volumes: [{ name: 'config', configMap: { name: 'settings' } }] });
  });
});

describe('an agent whose server is down', () => {
  it('looks after its pods all the same, and tells later', async () => {
    const client = await openWithFailingClient();
    fixture.machine.scripts.set('main', [{ runFor: 5000, exitCode: 2 }, {}]);
    await fixture.createPod('web');
    client.isDown = true;
    await fixture.pass(20);
    assert.deepEqual(fixture.machine.record, ['0 start main 0', '5 start main 1']);
    assert.equal((await fixture.containerOf('web')).restartCount, 0);
    assert.ok(client.refused > 0 && client.refused < 40, `${client.refused} writes`);
    client.isDown = false;
    await fixture.pass(30);
    assert.equal((await fixture.containerOf('web')).restartCount, 1);
    assert.equal((await fixture.containerOf('web')).lastState?.terminated?.exitCode, 2);
  });
});
