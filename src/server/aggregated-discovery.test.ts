import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { kinds } from '../kinds/index.ts';
import { aggregateDiscovery } from './aggregated-discovery.ts';
import { buildDiscovery } from './discovery.ts';
import { listedResources } from './listed-resources.ts';
import { startServer, type RunningServer } from './testing/running-server.ts';

const discovery = buildDiscovery({ kinds });

/** What an aggregated document says, in the words of the documents that it gathers. */
function flatten(root: '/api' | '/apis'): Map<string, readonly string[]> {
  const verbs = new Map<string, readonly string[]>();
  for (const { metadata, versions } of aggregateDiscovery(discovery, root, 'v2').items) {
    for (const { version, resources } of versions) {
      const prefix = metadata.name === undefined ? `${root}/${version}` : `${root}/${metadata.name}/${version}`;
      for (const each of resources) {
        if (each.verbs.length > 0) verbs.set(`${prefix} ${each.resource}`, each.verbs);
        for (const part of each.subresources ?? []) {
          verbs.set(`${prefix} ${each.resource}/${part.subresource}`, part.verbs);
        }
      }
    }
  }
  return verbs;
}

describe('discovery in one answer', () => {
  it('says what the single documents say', () => {
    const gathered = new Map([...flatten('/api'), ...flatten('/apis')]);
    const single = new Map<string, readonly string[]>();
    for (const prefix of discovery.keys()) {
      if (!/^\/api\/v|^\/apis\/.+\//.test(prefix)) continue;
      for (const { name, verbs } of listedResources(discovery, prefix)) single.set(`${prefix} ${name}`, verbs);
    }
    assert.ok(single.size > 50);
    assert.deepEqual(gathered, single);
  });

  it('names the kind that a sub-resource takes, and of what scope a resource is', () => {
    const [core] = aggregateDiscovery(discovery, '/api', 'v2').items;
    const resources = core?.versions[0]?.resources ?? [];
    const pods = resources.find(({ resource }) => resource === 'pods');
    assert.equal(pods?.scope, 'Namespaced');
    assert.deepEqual(pods.responseKind, { group: '', version: 'v1', kind: 'Pod' });
    const binding = pods.subresources?.find(({ subresource }) => subresource === 'binding');
    assert.deepEqual(binding?.responseKind, { group: '', version: 'v1', kind: 'Binding' });
    assert.equal(resources.find(({ resource }) => resource === 'nodes')?.scope, 'Cluster');
    const controllers = resources.find(({ resource }) => resource === 'replicationcontrollers');
    const scale = controllers?.subresources?.find(({ subresource }) => subresource === 'scale');
    assert.deepEqual(scale?.responseKind, { group: 'autoscaling', version: 'v1', kind: 'Scale' });
  });
});

describe('discovery over HTTP', () => {
  let server: RunningServer;
  before(async () => {
    server = await startServer();
  });
  after(() => server.close());

  const aggregated = (version: string): string =>
    `application/json;g=apidiscovery.k8s.io;v=${version};as=APIGroupDiscoveryList`;

  async function kindAt(path: string, accept: string): Promise<string[]> {
    const { headers, json } = await server.send('GET', path, { headers: { Accept: accept } });
    const { kind, apiVersion } = json();
    return [kind, apiVersion, String(headers['content-type'])];
  }

  it('is in one answer for who asks for that, in the version asked for', async () => {
    const later = `${aggregated('v2')},${aggregated('v2beta1')},application/json`;
    for (const path of ['/api', '/apis', '/api/']) {
      const newest = ['APIGroupDiscoveryList', 'apidiscovery.k8s.io/v2', aggregated('v2')];
      assert.deepEqual(await kindAt(path, later), newest, path);
      const older = ['APIGroupDiscoveryList', 'apidiscovery.k8s.io/v2beta1', aggregated('v2beta1')];
      assert.deepEqual(await kindAt(path, `${aggregated('v2beta1')},application/json`), older, path);
    }
  });

  it('stays as it was for everybody else', async () => {
    for (const accept of [
      'application/json',
      '*/*',
      `application/json,${aggregated('v2')}`,
      `${aggregated('v9')},*/*`,
    ]) {
      assert.deepEqual(await kindAt('/api', accept), ['APIVersions', 'v1', 'application/json'], accept);
    }
    assert.equal((await server.send('GET', '/api', { headers: { Accept: aggregated('v9') } })).code, 406);
  });
});
