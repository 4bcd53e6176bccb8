import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { kinds } from '../kinds/index.ts';
import { buildDiscovery } from './discovery.ts';
import type { Endpoint } from './route.ts';
import { buildRoutes } from './routes.ts';

interface Resource {
  readonly name: string;
  readonly singularName: string;
  readonly namespaced: boolean;
  readonly kind: string;
  readonly group?: string;
  readonly version?: string;
  readonly verbs: readonly string[];
  readonly shortNames?: readonly string[];
}

const discovery = buildDiscovery({ kinds, serverAddress: '192.0.2.1:443', otherPaths: ['/version'] });

function read(path: string): unknown {
  const bytes = discovery.get(path);
  assert.ok(bytes, `nothing at ${path}`);
  return JSON.parse(bytes.toString());
}

function resourcesAt(prefix: string): Map<string, Resource> {
  const { resources } = read(prefix) as { resources: Resource[] };
  return new Map(resources.map((resource) => [resource.name, resource]));
}

const addresses = [{ clientCIDR: '0.0.0.0/0', serverAddress: '192.0.2.1:443' }];

describe('discovery', () => {
  it('names the version of the core group', () => {
    assert.deepEqual(read('/api'), {
      kind: 'APIVersions',
      apiVersion: 'v1',
      versions: ['v1'],
      serverAddressByClientCIDRs: addresses,
    });
  });

  it('describes each named group alike in the list and by itself', () => {
    const { groups } = read('/apis') as { groups: { name: string }[] };
    const extensions = groups.find(({ name }) => name === 'extensions');
    const version = { groupVersion: 'extensions/v1beta1', version: 'v1beta1' };
    assert.deepEqual(extensions, {
      name: 'extensions',
      versions: [version],
      preferredVersion: version,
      serverAddressByClientCIDRs: addresses,
    });
    for (const group of groups) {
      assert.deepEqual(read(`/apis/${group.name}`), { kind: 'APIGroup', apiVersion: 'v1', ...group });
    }
  });

  it('lists every path at the root', () => {
    const { paths } = read('/') as { paths: string[] };
    for (const path of ['/api', '/api/v1', '/apis', '/apis/extensions', '/apis/extensions/v1beta1', '/version'])
      assert.ok(paths.includes(path), path);
    for (const path of paths) assert.ok(path === '/version' || discovery.has(path), path);
  });

  it('gives clients all they need to know of a resource', () => {
    const pods = resourcesAt('/api/v1').get('pods');
    assert.equal(pods?.kind, 'Pod');
    assert.equal(pods.singularName, 'pod');
    assert.equal(pods.namespaced, true);
    assert.deepEqual(pods.shortNames, ['po']);
    assert.deepEqual(pods.verbs, ['create', 'delete', 'deletecollection', 'get', 'list', 'patch', 'update', 'watch']);
  });

  it('says which kind a sub-resource takes', () => {
    const core = resourcesAt('/api/v1');
    assert.equal(core.get('pods/binding')?.kind, 'Binding');
    assert.equal(core.get('pods/status')?.kind, 'Pod');
    assert.deepEqual(
      [core.get('replicationcontrollers/scale')?.group, core.get('replicationcontrollers/scale')?.kind],
      ['autoscaling', 'Scale'],
    );
    const extensions = resourcesAt('/apis/extensions/v1beta1');
    assert.equal(extensions.get('deployments/rollback')?.kind, 'DeploymentRollback');
    assert.equal(extensions.get('replicationcontrollers/scale')?.kind, 'Scale');
    assert.equal(extensions.get('replicationcontrollers/scale')?.group, undefined);
  });

  it('lists exactly what is routed, with the verbs that are routed', () => {
    for (const [prefix, resources] of buildRoutes(kinds)) {
      const listed = resourcesAt(prefix);
      const routed = new Map<string, readonly string[]>();
      for (const { name, collection, object, watch, subresources } of resources.values()) {
        const verbs = verbsOf(collection, object, watch);
        if (verbs.length > 0) routed.set(name, verbs);
        for (const [part, route] of subresources) routed.set(`${name}/${part}`, verbsOf(route.endpoint));
      }
      assert.deepEqual([...listed.keys()].sort(), [...routed.keys()].sort(), prefix);
      for (const [name, verbs] of routed) assert.deepEqual(listed.get(name)?.verbs, verbs, `${prefix} ${name}`);
    }
  });
});

function verbsOf(...endpoints: (Endpoint | undefined)[]): string[] {
  const verbs = endpoints.flatMap((endpoint) => [...(endpoint?.values() ?? [])].map(({ verb }) => verb));
  return [...new Set(verbs)].sort();
}
