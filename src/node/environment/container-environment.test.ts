import assert from 'node:assert/strict';
import { afterEach, beforeEach, describe, it } from 'node:test';
import { openInformer } from '../../client/open-informer.ts';
import type { Informer } from '../../client/informer.ts';
import { openClient, type ClientFixture } from '../../client/testing/client-fixture.ts';
import { configMap } from '../../kinds/core/config-map.ts';
import type { Pod } from '../../kinds/core/pod.ts';
import type { Container } from '../../kinds/core/pod/container.ts';
import { secret } from '../../kinds/core/secret.ts';
import { service as serviceKind, type Service } from '../../kinds/core/service.ts';
import { ConfigError, ContainerEnvironment, type ResolvedCommand } from './container-environment.ts';

const pod: Pod = {
  kind: 'Pod',
  apiVersion: 'v1',
  metadata: { name: 'web', namespace: 'one', uid: 'u1', labels: { b: 'x "y"', a: '1' } },
  spec: { containers: [], nodeName: 'n1' },
  status: {},
};
const place = { podIP: '10.1.2.3', hostIP: '192.168.0.1' };

let fixture: ClientFixture;
let services: Informer<Service>;
beforeEach(async () => {
  fixture = await openClient();
  await createService('default', 'kubernetes', '10.0.0.1', [{ name: 'https', port: 443 }]);
  await createService('one', 'my-db', '10.0.0.7', [
    { name: 'main', port: 5432 },
    { name: 'dns', port: 53, protocol: 'UDP' },
  ]);
  await createService('one', 'bare', 'None', [{ port: 80 }]);
  await createService('default', 'other', '10.0.0.8', [{ port: 80 }]);
  services = openInformer({ ...fixture, kind: serviceKind });
  await services.synced;
});
afterEach(async () => {
  services.close();
  await fixture.close();
});

async function createService(namespace: string, name: string, clusterIP: string, ports: object[]): Promise<void> {
  await fixture.client.create(serviceKind, {
    kind: 'Service',
    apiVersion: 'v1',
    metadata: { name, namespace },
    spec: { clusterIP, ports: ports as never },
    status: {},
  });
}

function resolve(parts: Partial<Container>, apiServer?: { host: string; port: number }): Promise<ResolvedCommand> {
  const environment = new ContainerEnvironment({ client: fixture.client, services, apiServer });
  return environment.resolve(pod, { name: 'main', image: 'x', ...parts }, place);
}

describe('the environment of a container', () => {
  it('names the services of its namespace and the API server', async () => {
    const { environment } = await resolve({});
    assert.deepEqual(environment, {
      KUBERNETES_SERVICE_HOST: '10.0.0.1',
      KUBERNETES_SERVICE_PORT: '443',
      KUBERNETES_SERVICE_PORT_HTTPS: '443',
      KUBERNETES_PORT: 'tcp://10.0.0.1:443',
      KUBERNETES_PORT_443_TCP: 'tcp://10.0.0.1:443',
      KUBERNETES_PORT_443_TCP_PROTO: 'tcp',
      KUBERNETES_PORT_443_TCP_PORT: '443',
      KUBERNETES_PORT_443_TCP_ADDR: '10.0.0.1',
      MY_DB_SERVICE_HOST: '10.0.0.7',
      MY_DB_SERVICE_PORT: '5432',
      MY_DB_SERVICE_PORT_MAIN: '5432',
      MY_DB_SERVICE_PORT_DNS: '53',
      MY_DB_PORT: 'tcp://10.0.0.7:5432',
      MY_DB_PORT_5432_TCP: 'tcp://10.0.0.7:5432',
      MY_DB_PORT_5432_TCP_PROTO: 'tcp',
      MY_DB_PORT_5432_TCP_PORT: '5432',
      MY_DB_PORT_5432_TCP_ADDR: '10.0.0.7',
      MY_DB_PORT_53_UDP: 'udp://10.0.0.7:53',
      MY_DB_PORT_53_UDP_PROTO: 'udp',
      MY_DB_PORT_53_UDP_PORT: '53',
      MY_DB_PORT_53_UDP_ADDR: '10.0.0.7',
    });
  });

  it('names another address of the API server where pods cannot reach its service', async () => {
    const { environment } = await resolve({}, { host: '127.0.0.1', port: 6443 });
    assert.equal(environment['KUBERNETES_SERVICE_HOST'], '127.0.0.1');
    assert.equal(environment['KUBERNETES_SERVICE_PORT'], '6443');
    assert.equal(environment['KUBERNETES_PORT_6443_TCP_ADDR'], '127.0.0.1');
  });

  it('expands variables that come before, those of services too, and its own win', async () => {
    const env = [
      { name: 'A', value: '$(B)-$(MY_DB_SERVICE_HOST)' },
      { name: 'B', value: 'b$(A)' },
      { name: 'MY_DB_SERVICE_HOST', value: 'mine $(MY_DB_SERVICE_HOST)' },
      { name: 'C', value: '$(MY_DB_SERVICE_HOST)' },
    ];
    const { environment } = await resolve({ env });
    assert.equal(environment['A'], '$(B)-10.0.0.7');
    assert.equal(environment['B'], 'b$(B)-10.0.0.7');
    assert.equal(environment['MY_DB_SERVICE_HOST'], 'mine $(MY_DB_SERVICE_HOST)');
    assert.equal(environment['C'], 'mine $(MY_DB_SERVICE_HOST)');
  });

  it('has variables of any name', async () => {
    const env = ['__proto__', 'constructor'].map((name) => ({ name, value: `my ${name}` }));
    const { environment, command } = await resolve({ env, command: ['$(__proto__)', '$(constructor)'] });
    const own = Object.entries(environment).filter(([name]) => !name.includes('_PORT') && !name.includes('_SERVICE_'));
    assert.deepEqual(own, [['__proto__', 'my __proto__'], ['constructor', 'my constructor']]); // prettier-ignore
    assert.deepEqual(command, ['my __proto__', 'my constructor']);
  });

  it('is put into command and arguments', async () => {
    const { command, args } = await resolve({
      env: [{ name: 'WHO', value: 'world' }],
      command: ['echo', 'hello $(WHO)'],
      args: ['$$(WHO)', '$(NOBODY)', '$(constructor)'],
    });
    assert.deepEqual(command, ['echo', 'hello world']);
    assert.deepEqual(args, ['$(WHO)', '$(NOBODY)', '$(constructor)']);
  });

  it('takes fields of the pod', async () => {
    const paths = ['metadata.name', 'metadata.namespace', 'status.podIP', 'spec.nodeName', 'status.hostIP', 'metadata.labels']; // prettier-ignore
    const env = paths.map((fieldPath, i) => ({ name: `F${i}`, valueFrom: { fieldRef: { fieldPath } } }));
    const { environment } = await resolve({ env });
    const values = paths.map((_, i) => environment[`F${i}`]);
    assert.deepEqual(values, ['web', 'one', '10.1.2.3', 'n1', '192.168.0.1', 'a="1"\nb="x \\"y\\""']);
  });

  it('takes values of config maps and secrets', async () => {
    const metadata = { name: 'settings', namespace: 'one' };
    const data = { colour: '$(A) blue', empty: '' };
    await fixture.client.create(configMap, { kind: 'ConfigMap', apiVersion: 'v1', metadata, data });
    await fixture.client.create(secret, {
      kind: 'Secret',
      apiVersion: 'v1',
      metadata: { name: 'login', namespace: 'one' },
      data: { password: Buffer.from('p€ss').toString('base64') },
    });
    const env = [
      { name: 'A', value: 'a' },
      { name: 'COLOUR', valueFrom: { configMapKeyRef: { name: 'settings', key: 'colour' } } },
      { name: 'EMPTY', valueFrom: { configMapKeyRef: { name: 'settings', key: 'empty' } } },
      { name: 'PASSWORD', valueFrom: { secretKeyRef: { name: 'login', key: 'password' } } },
    ];
    const { environment } = await resolve({ env });
    // What others wrote is taken as it is: only the pod's own text can refer.
    assert.equal(environment['COLOUR'], '$(A) blue');
    assert.equal(environment['EMPTY'], '');
    assert.equal(environment['PASSWORD'], 'p€ss');
  });

  it('cannot be had while something that it refers to is missing, and says what', async () => {
    const refused = (valueFrom: object, message: RegExp): Promise<void> =>
      assert.rejects(resolve({ env: [{ name: 'A', valueFrom }] }), (error) => {
        assert.ok(error instanceof ConfigError);
        assert.match(error.message, message);
        return true;
      });
    await refused({ configMapKeyRef: { name: 'settings', key: 'a' } }, /no configmap one\/settings/);
    await refused({ secretKeyRef: { name: 'login', key: 'a' } }, /no secret one\/login/);
    const metadata = { name: 'settings', namespace: 'one' };
    await fixture.client.create(configMap, { kind: 'ConfigMap', apiVersion: 'v1', metadata, data: {} });
    await refused({ configMapKeyRef: { name: 'settings', key: 'a' } }, /one\/settings has no key "a"/);
    await refused({ configMapKeyRef: { name: 'settings', key: 'constructor' } }, /has no key "constructor"/);
    await refused({ fieldRef: { fieldPath: 'status.phase' } }, /status\.phase/);
  });
});
