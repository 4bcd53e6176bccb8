import assert from 'node:assert/strict';
import { test } from 'node:test';
import { limitRange, type LimitRangeItem } from '../../kinds/core/limit-range.ts';
import { pod } from '../../kinds/core/pod.ts';
import { replicationController } from '../../kinds/core/replication-controller.ts';
import { limitRangerAnnotation } from './limit-defaults.ts';
import { openAdmission, podBody, refusedWith, type AdmissionBench } from './testing/open-admission.ts';

async function openWith(...items: LimitRangeItem[]): Promise<AdmissionBench> {
  const bench = openAdmission(['LimitRanger']);
  await limit(bench, 'bounds', ...items);
  return bench;
}

async function limit(bench: AdmissionBench, name: string, ...limits: LimitRangeItem[]): Promise<void> {
  await bench.create(limitRange, { metadata: { name }, spec: { limits } });
}

const both = (cpu: string): object => ({ requests: { cpu }, limits: { cpu } });

test('containers get the defaults that they lack, and the pod says so', async () => {
  const bench = await openWith({
    type: 'Container',
    default: { cpu: '500m', memory: '256Mi' },
    defaultRequest: { cpu: '100m' },
  });
  const { spec, metadata } = await bench.createPod('p', { requests: { cpu: '50m' } }, { limits: { memory: '512Mi' } });
  assert.deepEqual(
    spec.containers.map(({ resources }) => resources),
    [
      { limits: { cpu: '500m', memory: '256Mi' }, requests: { cpu: '50m', memory: '256Mi' } },
      { limits: { cpu: '500m', memory: '512Mi' }, requests: { cpu: '100m', memory: '512Mi' } },
    ],
  );
  assert.equal(
    metadata.annotations?.[limitRangerAnnotation],
    'LimitRanger filled in requests (memory) and limits (cpu, memory) of container a; requests (cpu) and limits (cpu) of container b',
  );
});

test('a pod that states everything gets no annotation', async () => {
  const bench = await openWith({ type: 'Container', default: { cpu: '500m' } });
  const { metadata } = await bench.createPod('p', both('1'));
  assert.equal(metadata.annotations, undefined);
});

test('a minimum alone becomes the request and leaves limits alone', async () => {
  const bench = await openWith({ type: 'Container', min: { cpu: '100m' } });
  const { spec } = await bench.createPod('p');
  assert.deepEqual(spec.containers[0]?.resources, { requests: { cpu: '100m' } });
});

test('of several limit ranges each fills in what is still missing, in the order of their names', async () => {
  const bench = await openWith({ type: 'Container', default: { cpu: '2' } });
  await limit(bench, 'another', { type: 'Container', default: { cpu: '1' } });
  await limit(bench, 'memory', { type: 'Container', default: { memory: '1Gi' } });
  const { spec } = await bench.createPod('p');
  assert.deepEqual(spec.containers[0]?.resources?.limits, { cpu: '1', memory: '1Gi' });
});

test('a default limit below the given request is left to validation', async () => {
  const bench = await openWith({ type: 'Container', default: { cpu: '500m' } });
  await assert.rejects(bench.createPod('p', { requests: { cpu: '3' } }), refusedWith(422, 'limits[cpu]'));
});

test('every broken bound of every container is named', async () => {
  const bench = await openWith({ type: 'Container', min: { cpu: '100m', memory: '16Mi' }, max: { cpu: '1' } });
  const wrong = bench.createPod('p', both('3'), { requests: { cpu: '50m', memory: '8Mi' }, limits: { cpu: '1' } });
  await assert.rejects(
    wrong,
    refusedWith(
      403,
      'container "a" limits cpu to 3, which must be at most 1',
      'container "a" requests cpu 3, which must be at most 1',
      'container "b" requests cpu 50m, which must be at least 100m',
      'container "b" requests memory 8Mi, which must be at least 16Mi',
      'limit range "bounds"',
    ),
  );
});

test('amounts exactly at the bounds are taken, however they are written', async () => {
  const bench = await openWith({ type: 'Container', min: { memory: '16Mi' }, max: { cpu: '1', memory: '512Mi' } });
  await bench.createPod('p', {
    requests: { cpu: '0.1', memory: '16777216' },
    limits: { cpu: '1000m', memory: '536870912' },
  });
});

test('a pod is held to the sum of its containers', async () => {
  const bench = await openWith({ type: 'Pod', min: { cpu: '200m' }, max: { cpu: '2' } });
  await bench.createPod('fits', both('1'), both('1'));
  await assert.rejects(bench.createPod('large', both('1'), both('1001m')), refusedWith(403, 'limits cpu to 2001m'));
  await assert.rejects(bench.createPod('small', both('50m'), both('100m')), refusedWith(403, 'requests cpu 150m'));
});

test('the sum of a pod is unknown when one container says nothing', async () => {
  const bench = await openWith({ type: 'Pod', max: { cpu: '2' }, min: { cpu: '1m' } });
  const wrong = bench.createPod('p', both('1'), {});
  await assert.rejects(wrong, refusedWith(403, 'must request cpu', 'must have a limit for cpu, at most 2'));
});

test('limit and request may be only so many times apart', async () => {
  const bench = await openWith({ type: 'Container', maxLimitRequestRatio: { cpu: '2.5' } });
  await bench.createPod('fits', { requests: { cpu: '400m' }, limits: { cpu: '1' } });
  const wide = bench.createPod('wide', { requests: { cpu: '399m' }, limits: { cpu: '1' } });
  await assert.rejects(wide, refusedWith(403, 'at most 2500m times apart'));
  await assert.rejects(bench.createPod('open'), refusedWith(403, 'a request and a limit for cpu'));
  const zero = bench.createPod('zero', { requests: { cpu: '0' }, limits: { cpu: '1' } });
  await assert.rejects(zero, refusedWith(403, 'not zero'));
});

test('a limit range is in force for the next request, and gone with the next as well', async () => {
  const bench = openAdmission(['LimitRanger']);
  await bench.createPod('before');
  await limit(bench, 'bounds', { type: 'Pod', max: { cpu: '1' } });
  await assert.rejects(bench.createPod('during'), refusedWith(403));
  await bench.replace(limitRange, {
    metadata: { name: 'bounds' },
    spec: { limits: [{ type: 'Pod', max: { memory: '1Gi' } }] },
  });
  await assert.rejects(bench.createPod('changed'), refusedWith(403, 'memory'));
  await bench.remove(limitRange, 'bounds');
  await bench.createPod('after');
});

test('a pod can be sent again as it was written, even when the defaults have changed', async () => {
  const bench = await openWith({ type: 'Container', default: { cpu: '500m' } });
  const first = await bench.createPod('p');
  await bench.replace(limitRange, {
    metadata: { name: 'bounds' },
    spec: { limits: [{ type: 'Container', default: { cpu: '1' } }] },
  });
  const again = await bench.replace(pod, podBody('p'));
  assert.deepEqual(again.spec, first.spec);
  assert.deepEqual(again.metadata, first.metadata);
});

test('a pod that is older than the defaults can still be changed', async () => {
  const bench = openAdmission(['LimitRanger']);
  await bench.createPod('p');
  await limit(bench, 'bounds', { type: 'Container', default: { cpu: '500m' } });
  const { metadata } = await bench.label(pod, 'p');
  assert.deepEqual(metadata.labels, { a: 'b' });
});

test('bounds hold for changes too, but not for status', async () => {
  const bench = openAdmission(['LimitRanger']);
  await bench.createPod('p', both('3'));
  await limit(bench, 'bounds', { type: 'Container', max: { cpu: '1' } });
  await assert.rejects(bench.label(pod, 'p'), refusedWith(403));
  const running = { ...podBody('p', both('3')), status: { phase: 'Running' } };
  assert.equal((await bench.replace(pod, running, 'status')).status.phase, 'Running');
});

test('templates of pods are not looked at', async () => {
  const bench = await openWith({ type: 'Pod', max: { cpu: '1' } });
  const template = { ...podBody('p', both('50')), metadata: { labels: { a: 'b' } } };
  await bench.create(replicationController, { metadata: { name: 'rc' }, spec: { replicas: 1, template } });
});

test('a pod without containers is left to validation', async () => {
  const bench = await openWith({ type: 'Container', default: { cpu: '1' }, max: { cpu: '1' } });
  await assert.rejects(bench.create(pod, { metadata: { name: 'p' }, spec: {} }), refusedWith(422));
});
