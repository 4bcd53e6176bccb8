import assert from 'node:assert/strict';
import { afterEach, beforeEach, describe, test } from 'node:test';
import { changeObject } from '../../client/change-object.ts';
import type { Client } from '../../client/client.ts';
import { nameOf } from '../../client/object-name.ts';
import type { EndpointSubset } from '../../kinds/core/endpoint-subset.ts';
import { endpoints } from '../../kinds/core/endpoints.ts';
import { pod, type Pod } from '../../kinds/core/pod.ts';
import type { Container } from '../../kinds/core/pod/container.ts';
import { service, type Service } from '../../kinds/core/service.ts';
import { isApiError } from '../../kinds/meta/api-error.ts';
import { runControllers } from '../loop/run-controllers.ts';
import { openControllers, type ControllerFixture } from '../testing/controller-fixture.ts';
import { serviceEndpoints } from './endpoints.ts';

const web = { namespace: 'one', name: 'web' };
type Spec = Partial<NonNullable<Service['spec']>>;

describe('the endpoint controller', () => {
  let fixture: ControllerFixture;
  let client: Client;
  beforeEach(async () => {
    fixture = await openControllers([serviceEndpoints]);
    ({ client } = fixture);
  });
  afterEach(() => fixture.close());

  async function makeService(spec: Spec = {}, metadata: Partial<Service['metadata']> = {}): Promise<Service> {
    const made = await client.create(service, {
      kind: 'Service',
      apiVersion: 'v1',
      metadata: { ...web, ...metadata },
      spec: { ports: [{ port: 80 }], selector: { app: 'web' }, ...spec },
    });
    await fixture.run.settled();
    return made;
  }

  interface PodParts {
    readonly ip?: string;
    readonly ready?: boolean;
    readonly app?: string;
    readonly ports?: Container['ports'];
    readonly annotations?: Record<string, string>;
  }

  async function makePod(name: string, parts: PodParts = {}): Promise<Pod> {
    const { app = 'web', ports, annotations } = parts;
    const containers = [
      { name: 'side', image: 'i' },
      { name: 'web', image: 'i', ports },
    ];
    const metadata = { name, namespace: 'one', labels: { app, more: 'x' }, annotations };
    const spec = { containers, nodeName: 'n1' };
    const made = await client.create(pod, { kind: 'Pod', apiVersion: 'v1', metadata, spec, status: {} });
    return report(made, parts);
  }

  async function report(which: Pod, { ip, ready = true }: PodParts): Promise<Pod> {
    const conditions = [{ type: 'Ready', status: ready ? 'True' : 'False' }];
    const status: Pod['status'] = { phase: 'Running', podIP: ip, conditions };
    const change = (each: Pod): void => void (each.status = status);
    const changed = await changeObject(client, { kind: pod, name: nameOf(which), part: 'status', change });
    await fixture.run.settled();
    return changed;
  }

  /** `10.1.0.1,10.1.0.2 not 10.1.0.3: http 80/TCP`. */
  function describeSubset({ addresses = [], notReadyAddresses = [], ports = [] }: EndpointSubset): string {
    const ips = (list: typeof addresses): string => list.map(({ ip }) => ip).join();
    const shown = ports.map(({ name = '-', port, protocol }) => `${name} ${port}/${protocol}`).sort();
    return `${ips(addresses)} not ${ips(notReadyAddresses)}: ${shown.join(', ')}`;
  }

  async function subsets(): Promise<string[]> {
    return (await client.get(endpoints, web)).subsets.map(describeSubset).sort();
  }

  test('a service leads to its pods, and says for each which pod it is', async () => {
    await makeService({}, { labels: { team: 'blue' } });
    assert.deepEqual(await subsets(), []);
    const first = await makePod('a', { ip: '10.1.0.2' });
    await makePod('b', { ip: '10.1.0.1' });
    await makePod('c', { ip: '10.1.0.3', app: 'db' });
    assert.deepEqual(await subsets(), ['10.1.0.1,10.1.0.2 not : - 80/TCP']);
    const { metadata, subsets: written } = await client.get(endpoints, web);
    assert.deepEqual(metadata.labels, { team: 'blue' });
    const { namespace, name, uid } = first.metadata;
    const { resourceVersion, ...target } = written[0]!.addresses![1]!.targetRef!;
    assert.deepEqual(target, { kind: 'Pod', namespace, name, uid });
    assert.ok(resourceVersion);
  });

  test('pods that are not ready stand apart, and move when they are', async () => {
    await makeService();
    const made = await makePod('a', { ip: '10.1.0.1', ready: false });
    assert.deepEqual(await subsets(), [' not 10.1.0.1: - 80/TCP']);
    await report(made, { ip: '10.1.0.1', ready: true });
    assert.deepEqual(await subsets(), ['10.1.0.1 not : - 80/TCP']);
  });

  test('pods without a usable address, on their way out or ended are left out', async () => {
    await makeService();
    await makePod('no-address', {});
    await makePod('loopback', { ip: '127.0.0.1' });
    const leaving = await makePod('leaving', { ip: '10.1.0.1' });
    const ended = await makePod('ended', { ip: '10.1.0.2' });
    await makePod('stays', { ip: '10.1.0.3' });
    await client.delete(pod, nameOf(leaving), { gracePeriodSeconds: 30 });
    const change = (each: Pod): void => void (each.status.phase = 'Succeeded');
    await changeObject(client, { kind: pod, name: nameOf(ended), part: 'status', change });
    await fixture.run.settled();
    assert.deepEqual(await subsets(), ['10.1.0.3 not : - 80/TCP']);
  });

  test('a service that tolerates unready pods leads to all of them', async () => {
    await makeService({}, { annotations: { 'service.alpha.kubernetes.io/tolerate-unready-endpoints': 'true' } });
    await makePod('a', { ip: '10.1.0.1', ready: false });
    assert.deepEqual(await subsets(), ['10.1.0.1 not : - 80/TCP']);
  });

  test('ports by name are looked up in each pod, with their protocol', async () => {
    const ports: Spec['ports'] = [
      { name: 'http', port: 80, targetPort: 'web' },
      { name: 'dns', port: 53, protocol: 'UDP', targetPort: 'dns' },
      { name: 'fixed', port: 81, targetPort: 8081 },
    ];
    await makeService({ ports });
    const tcpDns = { name: 'dns', containerPort: 53 } as const;
    await makePod('old', { ip: '10.1.0.1', ports: [{ name: 'web', containerPort: 8080 }, tcpDns] });
    const udpDns = { name: 'dns', containerPort: 5353, protocol: 'UDP' } as const;
    await makePod('new', { ip: '10.1.0.2', ports: [{ name: 'web', containerPort: 9090 }, udpDns] });
    assert.deepEqual(await subsets(), [
      '10.1.0.1 not : http 8080/TCP',
      '10.1.0.1,10.1.0.2 not : fixed 8081/TCP',
      '10.1.0.2 not : dns 5353/UDP, http 9090/TCP',
    ]);
  });

  test('a headless service has endpoints, with the names that its pods ask for', async () => {
    await makeService({ clusterIP: 'None' });
    const asks = (name: string, subdomain: string): Record<string, string> => ({
      'pod.beta.kubernetes.io/hostname': name,
      'pod.beta.kubernetes.io/subdomain': subdomain,
    });
    await makePod('a', { ip: '10.1.0.1', annotations: asks('first', 'web') });
    await makePod('b', { ip: '10.1.0.2', annotations: asks('second', 'other') });
    assert.deepEqual(await subsets(), ['10.1.0.1,10.1.0.2 not : - 80/TCP']);
    const { metadata } = await client.get(endpoints, web);
    assert.deepEqual(metadata.annotations, {
      'endpoints.beta.kubernetes.io/hostnames-map': '{"10.1.0.1":{"HostName":"first"}}',
    });
  });

  test('a change of the selector or of labels changes who answers', async () => {
    await makeService();
    const a = await makePod('a', { ip: '10.1.0.1' });
    await makePod('b', { ip: '10.1.0.2', app: 'db' });
    await client.patch(service, web, { merge: { spec: { selector: { app: 'db' } } } });
    await fixture.run.settled();
    assert.deepEqual(await subsets(), ['10.1.0.2 not : - 80/TCP']);
    await client.patch(pod, nameOf(a), { merge: { metadata: { labels: { app: 'db' } } } });
    await fixture.run.settled();
    assert.deepEqual(await subsets(), ['10.1.0.1,10.1.0.2 not : - 80/TCP']);
  });

  test('nothing is written when nothing has changed but the revision of a pod', async () => {
    await makeService({
      ports: [
        { name: 'a', port: 80, targetPort: 'x' },
        { name: 'b', port: 81 },
      ],
    });
    const first = await makePod('a', { ip: '10.1.0.1', ports: [{ name: 'x', containerPort: 8080 }] });
    await makePod('b', { ip: '10.1.0.2' });
    const before = (await client.get(endpoints, web)).metadata.resourceVersion;
    for (let i = 0; i < 5; i++) {
      const change = (each: Pod): void => void (each.status.message = `still fine ${i}`);
      await changeObject(client, { kind: pod, name: nameOf(first), part: 'status', change });
      await client.patch(service, web, { merge: { metadata: { annotations: { turn: `${i}` } } } });
      await fixture.run.settled();
    }
    assert.equal((await client.get(endpoints, web)).metadata.resourceVersion, before);
  });

  test('endpoints that somebody changes or deletes are put right', async () => {
    await makeService();
    await makePod('a', { ip: '10.1.0.1' });
    await client.patch(endpoints, web, { merge: { subsets: [], metadata: { annotations: { kept: 'yes' } } } });
    await fixture.run.settled();
    assert.deepEqual(await subsets(), ['10.1.0.1 not : - 80/TCP']);
    assert.equal((await client.get(endpoints, web)).metadata.annotations?.kept, 'yes');
    await client.delete(endpoints, web);
    await fixture.run.settled();
    assert.deepEqual(await subsets(), ['10.1.0.1 not : - 80/TCP']);
  });

  test('endpoints of services without a selector, and those without a service, are left alone', async () => {
    const handmade = [{ addresses: [{ ip: '10.9.0.1' }], ports: [{ port: 1 }] }];
    await client.create(endpoints, { kind: 'Endpoints', apiVersion: 'v1', metadata: { ...web }, subsets: handmade });
    const lock = { namespace: 'one', name: 'lock' };
    await client.create(endpoints, { kind: 'Endpoints', apiVersion: 'v1', metadata: lock, subsets: [] });
    await makeService({ selector: undefined });
    assert.deepEqual(await subsets(), ['10.9.0.1 not : - 1/TCP']);
    assert.ok(await client.get(endpoints, lock));
  });

  test('endpoints go with their service', async () => {
    await makeService();
    await client.delete(service, web);
    await fixture.run.settled();
    await assert.rejects(client.get(endpoints, web), (error) => isApiError(error, 404));
  });

  test('endpoints of a service that went while nobody watched are removed at the start, handmade ones are not', async () => {
    await makeService();
    await makePod('a', { ip: '10.1.0.1' });
    await fixture.run.close();
    await client.delete(service, web);
    const handmade = { namespace: 'one', name: 'handmade' };
    const subset = { addresses: [{ ip: '10.9.0.1' }], ports: [{ port: 1 }] };
    await client.create(endpoints, { kind: 'Endpoints', apiVersion: 'v1', metadata: handmade, subsets: [subset] });
    const again = runControllers([serviceEndpoints], fixture);
    await again.settled();
    const left = (await client.list(endpoints)).items.map(({ metadata }) => metadata.name);
    await again.close();
    assert.deepEqual(left, ['handmade']);
  });
});
