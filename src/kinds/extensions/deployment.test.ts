import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { DeploymentStrategy } from './deployment-strategy.ts';
import { deployment, type Deployment } from './deployment.ts';
import { admit, checkExample, replace, type Admitted } from './testing/admit.ts';

const spec = { containers: [{ name: 'main', image: 'nginx:1.9' }] };
const template = { metadata: { labels: { app: 'web' } }, spec };

function admitted(body: object): Admitted<Deployment> {
  return admit(deployment, { metadata: { name: 'a' }, spec: { template, ...body } });
}

function strategyFrom(strategy: unknown): DeploymentStrategy | undefined {
  const { object, mistakes } = admitted({ strategy });
  assert.deepEqual(mistakes, []);
  return object.spec.strategy;
}

test('the example passes and stays as it is', () => checkExample(deployment));

test('a rolling update of one at a time is the default', () => {
  const usual = { type: 'RollingUpdate', rollingUpdate: { maxUnavailable: 1, maxSurge: 1 } };
  assert.deepEqual(strategyFrom(undefined), usual);
  assert.deepEqual(strategyFrom({ type: 'RollingUpdate' }), usual);
  assert.deepEqual(strategyFrom({ type: '', rollingUpdate: {} }), usual);
});

test('what is given of a rolling update is kept, zero included', () => {
  assert.deepEqual(strategyFrom({ rollingUpdate: { maxUnavailable: 0 } })?.rollingUpdate, {
    maxUnavailable: 0,
    maxSurge: 1,
  });
  assert.deepEqual(strategyFrom({ rollingUpdate: { maxSurge: '50%' } })?.rollingUpdate, {
    maxUnavailable: 1,
    maxSurge: '50%',
  });
});

test('Recreate has no rolling update', () => {
  assert.deepEqual(strategyFrom({ type: 'Recreate' }), { type: 'Recreate' });
  assert.deepEqual(
    admitted({ strategy: { type: 'Recreate', rollingUpdate: { maxSurge: 1, maxUnavailable: 1 } } }).mistakes,
    ['spec.strategy.rollingUpdate Forbidden'],
  );
  assert.deepEqual(admitted({ strategy: { type: 'Magic' } }).mistakes, ['spec.strategy.type NotSupported']);
});

test('a rolling update must be able to go on', () => {
  const where = 'spec.strategy.rollingUpdate';
  const cases: [rollingUpdate: object, mistakes: string[]][] = [
    [{ maxUnavailable: 0, maxSurge: 0 }, [`${where}.maxUnavailable Invalid`]],
    [{ maxUnavailable: '0%', maxSurge: 0 }, [`${where}.maxUnavailable Invalid`]],
    [{ maxUnavailable: '101%' }, [`${where}.maxUnavailable Invalid`]],
    [{ maxUnavailable: '100%', maxSurge: '300%' }, []],
    [
      { maxUnavailable: 'some', maxSurge: 'lots' },
      [`${where}.maxUnavailable Invalid`, `${where}.maxSurge Invalid`, `${where}.maxUnavailable Invalid`],
    ],
    [{ maxUnavailable: -1, maxSurge: -1 }, [`${where}.maxUnavailable Invalid`, `${where}.maxSurge Invalid`]],
  ];
  for (const [rollingUpdate, mistakes] of cases) {
    assert.deepEqual(admitted({ strategy: { rollingUpdate } }).mistakes, mistakes, JSON.stringify(rollingUpdate));
  }
});

test('counts and revisions are not negative', () => {
  const body = { replicas: -1, minReadySeconds: -1, revisionHistoryLimit: -1, rollbackTo: { revision: -1 } };
  assert.deepEqual(admitted(body).mistakes, [
    'spec.replicas Invalid',
    'spec.minReadySeconds Invalid',
    'spec.revisionHistoryLimit Invalid',
    'spec.rollbackTo.revision Invalid',
  ]);
});

test('a history of 0 is told from none; a pause of false is none', () => {
  const { object } = admitted({ revisionHistoryLimit: 0, paused: false, minReadySeconds: 0 });
  assert.equal(object.spec.revisionHistoryLimit, 0);
  assert.equal('paused' in object.spec, false);
  assert.equal('minReadySeconds' in object.spec, false);
});

test('an empty deployment is refused for what it lacks', () => {
  assert.deepEqual(admit(deployment, { metadata: { name: 'a' } }).mistakes, [
    'spec.template.spec.containers Required',
    'spec.selector Required',
    'spec.template.metadata.labels Invalid',
  ]);
});

test('a new deployment has no status', () => {
  const { object } = admit(deployment, { ...deployment.example, status: { replicas: 7 } });
  assert.deepEqual(object.status, {});
});

test('changed annotations count as a change', () => {
  const { object: old } = admit(deployment, deployment.example);
  old.metadata.generation = 4;
  const metadata = { name: 'web', generation: 4 };
  assert.equal(replace(deployment, old, { ...deployment.example, metadata }).object.metadata.generation, 4);
  const annotated = { ...metadata, annotations: { a: 'b' } };
  const { object } = replace(deployment, old, { ...deployment.example, metadata: annotated });
  assert.equal(object.metadata.generation, 5);
});

test('labels stay when the status is written', () => {
  const { object: old } = admit(deployment, deployment.example);
  const changed = structuredClone(old);
  changed.metadata.labels = { from: 'status' };
  deployment.prepareForStatusUpdate!(changed, old, { now: 0, uid: () => '' });
  assert.deepEqual(changed.metadata.labels, { app: 'web' });
});
