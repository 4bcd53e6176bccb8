import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { clusterRole } from '../../../kinds/rbac/cluster-role.ts';
import { openBench, user, type AccessBench } from '../../testing/open-bench.ts';

function ruleFor(resource: string): object {
  return { verbs: ['get'], apiGroups: [''], resources: [resource] };
}

function part(name: string, labels: Record<string, string>, ...resources: string[]): object {
  return { metadata: { name, labels }, rules: resources.map(ruleFor) };
}

function whole(name: string, selects: Record<string, string>, labels: Record<string, string> = {}): object {
  return { metadata: { name, labels }, aggregationRule: { clusterRoleSelectors: [{ matchLabels: selects }] } };
}

async function resourcesOf(bench: AccessBench, name: string): Promise<string[]> {
  const { rules = [] } = await bench.get(clusterRole, name);
  return rules.flatMap(({ resources = [] }) => resources);
}

describe('a role that is made of others', () => {
  test('has their rules, each once, when it is made', async () => {
    const bench = await openBench();
    await bench.create(clusterRole, part('a', { to: 'view' }, 'pods', 'services'));
    await bench.create(clusterRole, part('b', { to: 'view' }, 'pods', 'nodes'));
    await bench.create(clusterRole, part('c', { to: 'edit' }, 'secrets'));
    const { rules } = await bench.create(clusterRole, {
      ...whole('view', { to: 'view' }),
      rules: [ruleFor('secrets')],
    });
    assert.deepEqual(rules, [ruleFor('pods'), ruleFor('services'), ruleFor('nodes')]);
  });

  test('follows them before their change is answered', async () => {
    const bench = await openBench();
    await bench.create(clusterRole, whole('view', { to: 'view' }));
    await bench.create(clusterRole, part('a', { to: 'view' }, 'pods'));
    assert.deepEqual(await resourcesOf(bench, 'view'), ['pods']);
    await bench.replace(clusterRole, part('a', { to: 'view' }, 'nodes'));
    assert.deepEqual(await resourcesOf(bench, 'view'), ['nodes']);
    await bench.replace(clusterRole, part('a', {}, 'nodes'));
    assert.deepEqual(await resourcesOf(bench, 'view'), []);
    await bench.replace(clusterRole, part('a', { to: 'view' }, 'nodes'));
    await bench.remove(clusterRole, 'a');
    assert.deepEqual(await resourcesOf(bench, 'view'), []);
  });

  test('can be part of another one', async () => {
    const bench = await openBench();
    await bench.create(clusterRole, whole('admin', { to: 'admin' }));
    await bench.create(clusterRole, whole('edit', { to: 'edit' }, { to: 'admin' }));
    await bench.create(clusterRole, part('a', { to: 'edit' }, 'pods'));
    assert.deepEqual(await resourcesOf(bench, 'admin'), ['pods']);
    await bench.remove(clusterRole, 'a');
    assert.deepEqual(await resourcesOf(bench, 'admin'), []);
  });

  test('can be part of one that is part of it, and comes to rest', async () => {
    const bench = await openBench();
    await bench.create(clusterRole, whole('one', { to: 'one' }, { to: 'two' }));
    await bench.create(clusterRole, whole('two', { to: 'two' }, { to: 'one' }));
    await bench.create(clusterRole, part('a', { to: 'one' }, 'pods'));
    assert.deepEqual(await resourcesOf(bench, 'one'), ['pods']);
    assert.deepEqual(await resourcesOf(bench, 'two'), ['pods']);
  });

  test('gives its users the rights of a part at once', async () => {
    const bench = await openBench();
    const jane = user('jane');
    await bench.grant('view', [], jane);
    await bench.replace(clusterRole, whole('view', { to: 'view' }));
    await bench.create(clusterRole, part('a', { to: 'view' }, 'pods'));
    const action = { verb: 'get', path: '', group: '', resource: 'pods', name: 'x', namespace: 'one' };
    assert.equal((await bench.authorizer.authorize(jane, action)).allowed, true);
  });
});
