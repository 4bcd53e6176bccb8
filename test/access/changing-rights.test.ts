import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import type { Credentials } from './guarded-cluster.ts';
import { limit, merge, one, openPeopledCluster, rbac, type PeopledCluster } from './peopled-cluster.ts';

let guarded: PeopledCluster;
before(async () => {
  guarded = await openPeopledCluster();
}, limit);
after(() => guarded.close());

describe('rights that change', limit, () => {
  test('hold for the next request', async () => {
    const stranger = guarded.identities['stranger']!;
    const list = async (): Promise<number> => (await guarded.ask(stranger, 'GET', `${one}/pods`)).code;
    assert.equal(await list(), 403);
    const path = await guarded.give('view', { kind: 'User', name: 'stranger' });
    assert.equal(await list(), 200);
    await guarded.make('DELETE', path);
    assert.equal(await list(), 403);
  });

  test('follow labels into roles that are made of others', async () => {
    const widgets = '/apis/extensions/v1beta1/namespaces/one/ingresses';
    const labels = { 'rbac.authorization.k8s.io/aggregate-to-view': 'true' };
    const rules = [{ verbs: ['delete'], apiGroups: ['extensions'], resources: ['ingresses'] }];
    const ask = async (): Promise<number> =>
      (await guarded.ask({ token: 'viewer-token' }, 'DELETE', `${widgets}/x`)).code;
    assert.equal(await ask(), 403);
    await guarded.make('POST', `${rbac}/clusterroles`, { metadata: { name: 'extra', labels }, rules });
    assert.equal(await ask(), 404);
    await guarded.make('DELETE', `${rbac}/clusterroles/extra`);
    assert.equal(await ask(), 403);
  });

  test('nobody hands out more than they have', async () => {
    const keeper: Credentials = { token: 'keeper-token' };
    const roles = `${rbac}/namespaces/one/roles`;
    const own = { metadata: { name: 'own' }, rules: [{ verbs: ['get'], apiGroups: [''], resources: ['pods'] }] };
    assert.equal((await guarded.ask(keeper, 'POST', roles, { body: own })).code, 201);
    const rules = [{ verbs: ['*'], apiGroups: ['*'], resources: ['*'] }];
    assert.equal((await guarded.ask(keeper, 'POST', roles, { body: { ...own, rules } })).code, 403);
    const grown = await guarded.ask(keeper, 'PATCH', `${roles}/own`, { headers: merge, body: { rules } });
    assert.equal(grown.code, 403);
  });
});
