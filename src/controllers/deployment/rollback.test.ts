import assert from 'node:assert/strict';
import { afterEach, beforeEach, describe, test } from 'node:test';
import { DeploymentWorld } from './testing/deployment-world.ts';

const cause = 'kubernetes.io/change-cause';
const revision = 'deployment.kubernetes.io/revision';

describe('going back', () => {
  let world: DeploymentWorld;
  beforeEach(async () => {
    world = await DeploymentWorld.open();
    await world.create({ replicas: 2 }, 'web:1', { [cause]: 'one' });
    await world.finish();
    await world.setImage('web:2', { [cause]: 'two' });
    await world.finish();
    await world.setImage('web:3', { [cause]: 'three' });
    await world.finish();
  });
  afterEach(() => world.close());

  async function image(): Promise<string | undefined> {
    const { spec } = await world.get();
    assert.equal(spec.rollbackTo, undefined);
    assert.equal(spec.template.metadata.labels?.['pod-template-hash'], undefined);
    return spec.template.spec.containers[0]?.image;
  }

  test('to a revision brings its template and annotations back, as a new revision', async () => {
    await world.change({ rollbackTo: { revision: 1 } });
    assert.equal(await image(), 'web:1');
    await world.finish();
    assert.deepEqual(await world.sizes(), { 'web:1': 2, 'web:2': 0, 'web:3': 0 });
    const { annotations } = (await world.set('web:1')).metadata;
    assert.equal(annotations?.[revision], '4');
    assert.equal(annotations?.['deployment.kubernetes.io/revision-history'], '1');
    const { metadata } = await world.get();
    assert.equal(metadata.annotations?.[revision], '4');
    assert.equal(metadata.annotations?.[cause], 'one');
    assert.deepEqual(await world.events('DeploymentRollback'), ['Rolled back deployment "web" to revision 1']);
  });

  test('to the last goes back and forth between two', async () => {
    await world.change({ rollbackTo: {} });
    assert.equal(await image(), 'web:2');
    await world.finish();
    await world.change({ rollbackTo: { revision: 0 } });
    assert.equal(await image(), 'web:3');
    await world.finish();
    assert.deepEqual(await world.sizes(), { 'web:1': 0, 'web:2': 0, 'web:3': 2 });
  });

  test('from a version that never becomes ready', async () => {
    await world.setImage('web:broken');
    await world.change({ rollbackTo: {} });
    assert.equal(await image(), 'web:3');
    await world.finish('web:3');
    assert.equal((await world.sizes())['web:broken'], 0);
    assert.equal((await world.sizes())['web:3'], 2);
  });

  test('from a version that nobody has seen yet leads to the one before it', async () => {
    const { spec } = await world.get();
    const containers = [{ ...spec.template.spec.containers[0], image: 'web:4' }];
    await world.change({ template: { spec: { containers } }, rollbackTo: {} });
    assert.equal(await image(), 'web:3');
    await world.finish();
    assert.deepEqual(await world.sizes(), { 'web:1': 0, 'web:2': 0, 'web:3': 2, 'web:4': 0 });
    assert.equal((await world.set('web:4')).metadata.annotations?.[revision], '4');
    assert.equal((await world.set('web:3')).metadata.annotations?.[revision], '5');
  });

  test('leaves what the deployment says with the revision that it says it of', async () => {
    await world.change({ rollbackTo: { revision: 1 } }, { note: 'left' });
    assert.equal((await world.get()).metadata.annotations?.['note'], undefined);
    await world.finish();
    await world.change({ rollbackTo: { revision: 3 } });
    assert.equal((await world.get()).metadata.annotations?.['note'], 'left');
  });

  test('to a revision that is not there is told and given up', async () => {
    await world.change({ rollbackTo: { revision: 9 } });
    assert.equal(await image(), 'web:3');
    assert.equal((await world.events('DeploymentRollbackRevisionNotFound')).length, 1);
  });

  test('to what is there already is told and given up', async () => {
    await world.change({ rollbackTo: { revision: 3 } });
    assert.equal(await image(), 'web:3');
    assert.equal((await world.events('DeploymentRollbackTemplateUnchanged')).length, 1);
  });

  test('waits while the deployment is paused', async () => {
    await world.change({ paused: true });
    await world.change({ rollbackTo: { revision: 1 } });
    assert.deepEqual((await world.get()).spec.rollbackTo, { revision: 1 });
    await world.change({ paused: null });
    assert.equal(await image(), 'web:1');
  });
});

test('a deployment with a single revision has nothing to go back to', async () => {
  const world = await DeploymentWorld.open();
  try {
    await world.create({ replicas: 1 });
    await world.change({ rollbackTo: {} });
    assert.equal((await world.get()).spec.rollbackTo, undefined);
    assert.equal((await world.events('DeploymentRollbackRevisionNotFound')).length, 1);
  } finally {
    await world.close();
  }
});
