import { after, before, test } from 'node:test';
import * as fc from 'fast-check';
import { kinds } from '../../src/kinds/index.ts';
import { servedVersions } from '../../src/kinds/served-version.ts';
import { patchTypes } from '../../src/registry/patch/patch.ts';
import { fuzzRuns } from '../../src/schema/testing/fuzz-runs.ts';
import { openFuzzCluster, type FuzzCluster } from './fuzz-cluster.ts';

let cluster: FuzzCluster;

before(async () => {
  cluster = await openFuzzCluster();
});
after(() => cluster.close());

const collections = kinds
  .flatMap(servedVersions)
  .map(({ prefix, kind }) => `${prefix}${kind.namespaced ? '/namespaces/default' : ''}/${kind.resource}`);

const word = fc.oneof(
  fc.constantFrom('a', 'metadata.name', 'spec.nodeName', 'in', 'notin', '(', ')', ',', '=', '==', '!=', '!', '\\', ' '),
  fc.constantFrom('0', '-1', '1e9', '9007199254740993', 'true', '', '\u0000', 'x'.repeat(70), '%', '+'),
  fc.string({ unit: 'binary', maxLength: 5 }),
);
const words = fc.array(word, { maxLength: 6 }).map((parts) => parts.join(''));

const parameters = [
  'labelSelector',
  'fieldSelector',
  'limit',
  'continue',
  'resourceVersion',
  'timeoutSeconds',
  'pretty',
  'export',
  'exact',
  'dryRun',
  'fieldValidation',
  'gracePeriodSeconds',
  'orphanDependents',
  'propagationPolicy',
  'unheardOf',
];
const parameter = fc
  .tuple(fc.constantFrom(...parameters), words)
  .map(([name, value]) => `${name}=${encodeURIComponent(value.toWellFormed())}`);

test('no query makes a read, a deletion or a write fail', async () => {
  const property = fc.asyncProperty(
    fc.constantFrom(...collections),
    fc.constantFrom('', '/some-name'),
    fc.array(parameter, { minLength: 1, maxLength: 3 }),
    async (collection, name, query) => {
      const path = `${collection}${name}?${query.join('&')}`;
      await cluster.call('GET', path);
      await cluster.call(name ? 'DELETE' : 'POST', path, name ? undefined : {});
      if (name) await cluster.call('PUT', path, { metadata: { name: 'some-name' } });
    },
  );
  await fc.assert(property, fuzzRuns(300));
});

const depth = 100_000;
const text = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 60 }),
  fc.json({ maxDepth: 4 }),
  fc.tuple(fc.json({ maxDepth: 4 }), fc.nat(100)).map(([json, end]) => json.slice(0, end)),
  fc.constantFrom('['.repeat(depth), '{"a":'.repeat(depth), `${'['.repeat(depth)}${']'.repeat(depth)}`),
  fc.constantFrom(
    '{"metadata":{},"metadata":{}}',
    '{"__proto__":{"metadata":{"name":"x"}}}',
    '{"a":1e999}',
    '[1e-999]',
  ),
  fc.constantFrom(
    'a: &a [*a]',
    '- - - -',
    '!!js/function x',
    'metadata: {name: !!binary aGk=}',
    '? {a: b}\n: c',
    '---\n---',
  ),
);

test('no body makes a write fail', async () => {
  const mediaTypes = ['application/json', 'application/yaml', 'text/plain', '', ...Object.keys(patchTypes)];
  const property = fc.asyncProperty(
    fc.constantFrom(...collections),
    fc.constantFrom('POST', 'PUT', 'PATCH', 'DELETE'),
    fc.constantFrom(...mediaTypes),
    text,
    async (collection, method, mediaType, body) => {
      const path = method === 'POST' ? collection : `${collection}/some-name`;
      await cluster.call(method, path, body, mediaType);
    },
  );
  await fc.assert(property, fuzzRuns(400));
});
