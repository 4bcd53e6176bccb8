import assert from 'node:assert/strict';
import { test } from 'node:test';
import { configMap } from '../../kinds/core/config-map.ts';
import { persistentVolumeClaim } from '../../kinds/core/persistent-volume-claim.ts';
import { pod } from '../../kinds/core/pod.ts';
import { replicationController } from '../../kinds/core/replication-controller.ts';
import { resourceQuota } from '../../kinds/core/resource-quota.ts';
import { secret } from '../../kinds/core/secret.ts';
import { service } from '../../kinds/core/service.ts';
import type { Kind } from '../../kinds/kind.ts';
import { ApiError } from '../../kinds/meta/api-error.ts';
import { objectKey } from '../../registry/address.ts';
import { encodeForStorage } from '../../registry/encoding.ts';
import { openAdmission, podBody, refusedWith, type AdmissionBench } from './testing/open-admission.ts';

type Texts = Record<string, string>;

function zeros(hard: Texts): Texts {
  return Object.fromEntries(Object.keys(hard).map((name) => [name, '0']));
}

/** Makes a quota and, in place of a controller, writes into its status what is in force. */
async function bound(
  bench: AdmissionBench,
  name: string,
  hard: Texts,
  parts: { scopes?: string[]; used?: Texts } = {},
) {
  const { scopes, used = zeros(hard) } = parts;
  await bench.create(resourceQuota, { metadata: { name }, spec: { hard, scopes } });
  await bench.replace(resourceQuota, { metadata: { name }, status: { hard, used } }, 'status');
}

async function openWith(hard: Texts, parts: { scopes?: string[]; used?: Texts } = {}): Promise<AdmissionBench> {
  const bench = openAdmission(['ResourceQuota']);
  await bound(bench, 'q', hard, parts);
  return bench;
}

async function usedOf(bench: AdmissionBench, name = 'q'): Promise<Texts | undefined> {
  return (await bench.get(resourceQuota, name)).status?.used;
}

async function accepted(writes: readonly Promise<unknown>[]): Promise<number> {
  const results = await Promise.allSettled(writes);
  for (const result of results) {
    if (result.status === 'rejected')
      assert(result.reason instanceof ApiError && result.reason.code === 403, String(result.reason));
  }
  return results.filter(({ status }) => status === 'fulfilled').length;
}

const asks = (cpu: string, memory?: string): object => ({ requests: memory ? { cpu, memory } : { cpu } });

const counted: readonly [Kind, object][] = [
  [configMap, {}],
  [secret, {}],
  [service, { spec: { ports: [{ port: 1 }], clusterIP: 'None' } }],
  [persistentVolumeClaim, { spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } } }],
  [replicationController, { spec: { template: { ...podBody('p'), metadata: { labels: { a: 'b' } } } } }],
  [pod, { spec: podBody('p').spec }],
  [resourceQuota, {}],
];
for (const [kind, body] of counted) {
  test(`${kind.resource} are counted, and changing one costs nothing`, async () => {
    const bench = await openWith({ [kind.resource]: '1' });
    await bench.create(kind, { metadata: { name: 'first' }, ...body });
    await assert.rejects(
      bench.create(kind, { metadata: { name: 'second' }, ...body }),
      refusedWith(
        403,
        'quota "q"',
        `asked for ${kind.resource} 1; used ${kind.resource} 1; allowed ${kind.resource} 1`,
      ),
    );
    await bench.label(kind, 'first');
    assert.deepEqual(await usedOf(bench), { [kind.resource]: '1' });
  });
}

test('fifty creates at once on two servers never go over the quota', async () => {
  const bench = await openWith({ configmaps: '20', pods: '7' });
  const other = openAdmission(['ResourceQuota'], bench.storage);
  const maps = Array.from({ length: 50 }, (_, i) =>
    (i % 2 ? bench : other).create(configMap, { metadata: { name: `m${i}` } }),
  );
  const pods = Array.from({ length: 50 }, (_, i) => (i % 2 ? bench : other).createPod(`p${i}`));
  assert.equal(await accepted(maps), 20);
  assert.equal(await accepted(pods), 7);
  assert.deepEqual(await usedOf(bench), { configmaps: '20', pods: '7' });
});

test('creates that arrive together share writes of the quota', async () => {
  const bench = await openWith({ configmaps: '100' });
  const before = await bench.storage.revision();
  await Promise.all(Array.from({ length: 50 }, (_, i) => bench.create(configMap, { metadata: { name: `m${i}` } })));
  const ofQuota = (await bench.storage.revision()) - before - 50;
  assert(ofQuota < 25, `${ofQuota} writes`);
});

test('a create that fails gives back what it took', async () => {
  const bench = await openWith({ configmaps: '5', pods: '2', cpu: '1', memory: '1Gi' });
  await bench.create(configMap, { metadata: { name: 'taken' } });
  await assert.rejects(bench.create(configMap, { metadata: { name: 'taken' } }), refusedWith(409));
  await bench.createPod('taken', asks('100m', '1Mi'));
  await assert.rejects(bench.createPod('taken', asks('500m', '1Mi')), refusedWith(409));
  assert.deepEqual(await usedOf(bench), { configmaps: '1', pods: '1', cpu: '100m', memory: '1Mi' });
});

test('a refusal names what the client sent where the name is made up', async () => {
  const bench = await openWith({ configmaps: '1' });
  await bench.create(configMap, { metadata: { generateName: 'm-' } });
  const refused = refusedWith(403, /^configmaps "m-" is forbidden/);
  await assert.rejects(bench.create(configMap, { metadata: { generateName: 'm-' } }), refused);
  assert.deepEqual(await usedOf(bench), { configmaps: '1' });
});

test('a dry run is refused where a create would be, and takes nothing', async () => {
  const bench = await openWith({ configmaps: '1' });
  await bench.create(configMap, { metadata: { name: 'tried' } }, true);
  assert.deepEqual(await usedOf(bench), { configmaps: '0' });
  await bench.create(configMap, { metadata: { name: 'made' } });
  await assert.rejects(bench.create(configMap, { metadata: { name: 'tried' } }, true), refusedWith(403));
});

test('compute resources are summed over containers', async () => {
  const hard = {
    cpu: '1',
    memory: '1Gi',
    'requests.cpu': '1',
    'requests.memory': '1Gi',
    'limits.cpu': '2',
    'limits.memory': '2Gi',
  };
  const bench = await openWith(hard);
  const container = { requests: { cpu: '200m', memory: '256Mi' }, limits: { cpu: '600m', memory: '512Mi' } };
  await bench.createPod('p', container, container);
  assert.deepEqual(await usedOf(bench), {
    cpu: '400m',
    memory: '512Mi',
    'requests.cpu': '400m',
    'requests.memory': '512Mi',
    'limits.cpu': '1200m',
    'limits.memory': '1Gi',
  });
  const excess = /asked for limits\.cpu 1200m; used limits\.cpu 1200m; allowed limits\.cpu 2$/;
  await assert.rejects(bench.createPod('second', container, container), refusedWith(403, excess));
});

test('a pod must state what a quota bounds, in every container', async () => {
  const bench = await openWith({ cpu: '1', 'limits.memory': '1Gi', pods: '5' });
  await assert.rejects(bench.createPod('nothing'), refusedWith(403, 'bounds cpu, limits.memory'));
  const half = bench.createPod(
    'half',
    { requests: { cpu: '1m' }, limits: { memory: '1Mi' } },
    { limits: { memory: '1Mi' } },
  );
  await assert.rejects(half, refusedWith(403, 'bounds cpu, so'));
  assert.deepEqual(await usedOf(bench), zeros({ cpu: '', 'limits.memory': '', pods: '' }));
});

test('a pod that states what is bounded can be changed when the quota is used up', async () => {
  const bench = await openWith({ cpu: '1', pods: '1' });
  await bench.createPod('p', asks('1'));
  const body = podBody('p', asks('1'));
  Object.assign(body.spec.containers[0]!, { image: 'other:2' });
  assert.equal((await bench.replace(pod, body)).spec.containers[0]?.image, 'other:2');
  assert.deepEqual(await usedOf(bench), { cpu: '1', pods: '1' });
});

test('a pod that states too little is refused on change as well, but its status is written', async () => {
  const bench = openAdmission(['ResourceQuota']);
  await bench.createPod('p');
  await bound(bench, 'q', { cpu: '1' });
  await assert.rejects(bench.label(pod, 'p'), refusedWith(403, 'cpu'));
  await bench.replace(pod, { ...podBody('p'), status: { phase: 'Running' } }, 'status');
});

test('what counts is what the status says is in force', async () => {
  const bench = openAdmission(['ResourceQuota']);
  await bench.create(resourceQuota, { metadata: { name: 'q' }, spec: { hard: { configmaps: '0' } } });
  await bench.create(configMap, { metadata: { name: 'free' } });
  await bench.replace(
    resourceQuota,
    { metadata: { name: 'q' }, status: { hard: { configmaps: '1' }, used: { configmaps: '0' } } },
    'status',
  );
  await bench.create(configMap, { metadata: { name: 'counted' } });
  await assert.rejects(bench.create(configMap, { metadata: { name: 'more' } }), refusedWith(403));
});

test('nothing is let through before usage was counted', async () => {
  const bench = await openWith({ configmaps: '1', pods: '1' }, { used: { configmaps: '0' } });
  await assert.rejects(
    bench.create(configMap, { metadata: { name: 'm' } }),
    refusedWith(403, 'pods is not counted yet'),
  );
});

test('nothing more is let through while anything is used beyond its bound, but what costs nothing is', async () => {
  const bench = await openWith({ configmaps: '1', pods: '1' }, { used: { configmaps: '0', pods: '3' } });
  const refused = bench.create(configMap, { metadata: { name: 'm' } });
  await assert.rejects(refused, refusedWith(403, 'used pods 3; allowed pods 1'));
  await bench.create(secret, { metadata: { name: 's' } });
  assert.deepEqual(await usedOf(bench), { configmaps: '0', pods: '3' });
});

test('what a quota does not allow is refused before other mistakes are named', async () => {
  const bench = await openWith({ configmaps: '1', cpu: '1', pods: '2' });
  await assert.rejects(bench.create(configMap, { metadata: { name: 'Bad_Name' } }), refusedWith(422));
  assert.deepEqual(await usedOf(bench), { configmaps: '0', cpu: '0', pods: '0' });
  await bench.create(configMap, { metadata: { name: 'm' } });
  await assert.rejects(bench.create(configMap, { metadata: { name: 'Bad_Name' } }), refusedWith(403));
  await bench.createPod('p', asks('1'));
  await assert.rejects(bench.replace(pod, podBody('p', asks('2'))), refusedWith(403, 'asked for cpu 1'));
});

test('a refused object without a name is called Unknown', async () => {
  const bench = await openWith({ configmaps: '0' });
  await assert.rejects(bench.create(configMap, { metadata: {} }), refusedWith(403, /^configmaps "Unknown"/));
});

test('every quota of the namespace must have room, and a refusal takes from none', async () => {
  const bench = await openWith({ configmaps: '5' });
  await bound(bench, 'tight', { configmaps: '1' });
  await bench.create(configMap, { metadata: { name: 'a' } });
  await assert.rejects(bench.create(configMap, { metadata: { name: 'b' } }), refusedWith(403, 'quota "tight"'));
  const writes = Array.from({ length: 10 }, (_, i) => bench.create(configMap, { metadata: { name: `m${i}` } }));
  assert.equal(await accepted(writes), 0);
  assert.deepEqual([await usedOf(bench), await usedOf(bench, 'tight')], [{ configmaps: '1' }, { configmaps: '1' }]);
});

test('deleting gives nothing back: that is for the recount', async () => {
  const bench = await openWith({ configmaps: '1' });
  await bench.create(configMap, { metadata: { name: 'm' } });
  await bench.remove(configMap, 'm');
  assert.deepEqual(await usedOf(bench), { configmaps: '1' });
  await bench.remove(resourceQuota, 'q');
  await bench.create(configMap, { metadata: { name: 'n' } });
});

test('a quota is charged in the bytes that the registry would write', async () => {
  const bench = await openWith({ memory: '1Gi' });
  await bench.createPod('p', { requests: { memory: '1Mi' } });
  const { value } = (await bench.storage.get(objectKey(resourceQuota, 'one', 'q')))!;
  const { metadata, ...rest } = await bench.get(resourceQuota, 'q');
  assert.deepEqual(value, encodeForStorage(resourceQuota, { ...rest, metadata }));
  assert.equal(rest.status?.used?.['memory'], '1Mi');
});

const scoped: readonly { scope: string; inside: [object, object?]; outside: [object, object?] }[] = [
  { scope: 'Terminating', inside: [{}, { activeDeadlineSeconds: 5 }], outside: [{}] },
  { scope: 'NotTerminating', inside: [{}], outside: [{}, { activeDeadlineSeconds: 5 }] },
  { scope: 'BestEffort', inside: [asks('1')], outside: [asks('1', '1Mi')] },
  { scope: 'BestEffort', inside: [asks('0', '1Mi')], outside: [{ limits: { cpu: '2', memory: '1Mi' } }] },
  { scope: 'NotBestEffort', inside: [asks('1', '1Mi')], outside: [{}] },
];
for (const { scope, inside, outside } of scoped) {
  test(`scope ${scope} looks at ${JSON.stringify(inside)} and not at ${JSON.stringify(outside)}`, async () => {
    const bench = await openWith({ pods: '1' }, { scopes: [scope] });
    const make = (name: string, [resources, spec]: [object, object?]): Promise<unknown> => {
      const body = podBody(name, resources);
      return bench.create(pod, { ...body, spec: { ...body.spec, ...spec } });
    };
    await make('in', inside);
    await make('out', outside);
    await make('out-too', outside);
    await assert.rejects(make('in-too', inside), refusedWith(403, 'quota "q"'));
    assert.deepEqual(await usedOf(bench), { pods: '1' });
  });
}

test('a quota with several scopes looks at pods that are in all of them', async () => {
  const bench = await openWith({ pods: '0' }, { scopes: ['NotTerminating', 'BestEffort'] });
  await bench.createPod('not-best-effort', asks('1', '1Mi'));
  await assert.rejects(bench.createPod('both'), refusedWith(403));
});
