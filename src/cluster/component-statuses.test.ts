import assert from 'node:assert/strict';
import { afterEach, beforeEach, describe, test } from 'node:test';
import { LeaderLock } from '../client/leader-lock.ts';
import { openClient, type ClientFixture } from '../client/testing/client-fixture.ts';
import type { ComponentStatus } from '../kinds/core/component-status.ts';
import { namespace as namespaceKind } from '../kinds/core/namespace.ts';
import { componentStatuses } from './component-statuses.ts';
import { controlPlaneLock } from './control-plane-lock.ts';

const { signal } = new AbortController();

describe('the statuses of components', () => {
  let fixture: ClientFixture;

  beforeEach(async () => {
    fixture = await openClient();
    const metadata = { name: 'kube-system' };
    await fixture.client.create(namespaceKind, { kind: 'Namespace', apiVersion: 'v1', metadata });
  });

  afterEach(() => fixture.close());

  function lock(): LeaderLock {
    return new LeaderLock({ ...fixture, lock: controlPlaneLock, identity: 'somebody', leaseMs: 6000 });
  }

  /** Status and words, by component. */
  async function found(): Promise<Record<string, string>> {
    const statuses = (await componentStatuses(fixture).list()) as readonly ComponentStatus[];
    return Object.fromEntries(
      statuses.map(({ metadata, conditions }) => {
        const { status, message, error } = conditions![0]!;
        return [metadata.name, `${status} ${message ?? error}`];
      }),
    );
  }

  test('say where storage is, and that nobody runs the rest', async () => {
    const { storage, scheduler, 'controller-manager': manager } = await found();
    assert.match(storage ?? '', /^True at revision \d+$/);
    assert.deepEqual([scheduler, manager], ['False nobody runs it', 'False nobody runs it']);
  });

  test('name who runs controllers and scheduler, and for how long they have been silent', async () => {
    assert.equal(await lock().hold(signal), 'us');
    fixture.clock.step(6000);
    const running = await found();
    assert.equal(running['scheduler'], 'True run by somebody');
    assert.equal(running['controller-manager'], 'True run by somebody');
    fixture.clock.step(2000);
    assert.match((await found())['scheduler'] ?? '', /^False somebody has been silent since \d{4}-/);
    await lock().release(signal);
    assert.equal((await found())['scheduler'], 'False nobody runs it');
  });

  test('say what is wrong with a storage that does not answer', async () => {
    const storage = { revision: () => Promise.reject(new Error('the disk is gone')) };
    const [status] = (await componentStatuses({ ...fixture, storage }).list()) as readonly ComponentStatus[];
    assert.deepEqual(status?.conditions, [{ type: 'Healthy', status: 'False', error: 'the disk is gone' }]);
  });
});
