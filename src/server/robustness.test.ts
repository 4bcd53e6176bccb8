import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { kinds } from '../kinds/index.ts';
import { ApiError } from '../kinds/meta/api-error.ts';
import { parseTarget } from './request-target.ts';
import { buildRoutes } from './routes.ts';
import { jsonPatch, mergePatch, strategicPatch } from './testing/http-client.ts';
import { startServer } from './testing/running-server.ts';

const resources = kinds.map(({ resource }) => resource);
const parts = ['status', 'scale', 'binding', 'log', 'exec', 'proxy', 'finalize', 'rollback', 'portforward', 'attach'];
const word = fc.oneof(
  fc.constantFrom('api', 'v1', 'apis', 'extensions', 'v1beta1', 'watch', 'proxy', 'namespaces', 'one', 'bindings'),
  fc.constantFrom(...resources, ...parts),
  fc.constantFrom('', '.', '..', '%', '%2F', '%2e%2e', '%00', '%ff', 'a:b:c', 'x'.repeat(300), '__proto__'),
  fc.string({ maxLength: 8 }).map((text) => encodeURIComponent(text.toWellFormed())),
);
/** Nothing that opens a stream, which would not end by itself. */
const isNoStream = (path: string): boolean => !path.includes('watch');
const anyPath = fc.array(word, { maxLength: 8 }).map((segments) => `/${segments.join('/')}`);
const usualPath = fc
  .tuple(
    fc.constantFrom('/api/v1', '/apis/extensions/v1beta1'),
    fc.constantFrom('', '/namespaces/one'),
    fc.array(word, { maxLength: 3 }),
  )
  .map(([prefix, scope, rest]) => `${prefix}${scope}/${rest.join('/')}`);

test('no path makes the router fail with anything but a refusal', () => {
  const routes = buildRoutes(kinds);
  fc.assert(
    fc.property(fc.oneof(anyPath, usualPath, fc.string()), (path) => {
      try {
        parseTarget(path, routes);
      } catch (error) {
        assert.ok(error instanceof ApiError, `${path}: ${String(error)}`);
      }
    }),
    { numRuns: 2_000 },
  );
});

test('whatever is sent is answered, and never with 500', { timeout: 60_000 }, async (t) => {
  const server = await startServer();
  t.after(() => server.close());
  const method = fc.constantFrom('GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'HEAD', 'OPTIONS');
  const name = fc.constantFrom(
    'pretty',
    'labelSelector',
    'fieldSelector',
    'resourceVersion',
    'limit',
    'continue',
    'dryRun',
    'export',
    'gracePeriodSeconds',
    'fieldValidation',
    'path',
    'container',
  );
  const value = fc.oneof(
    fc.constantFrom('', 'true', '0', '-1', 'All', 'a=b', 'metadata.name=x', '99999999999999999999'),
    fc.string(),
  );
  const query = fc
    .array(fc.tuple(name, value), { maxLength: 3 })
    .map((pairs) => pairs.map(([key, text]) => `${key}=${encodeURIComponent(text.toWellFormed())}`).join('&'));
  const headers = fc.constantFrom(
    {},
    mergePatch,
    strategicPatch,
    jsonPatch,
    { 'Content-Type': 'application/yaml' },
    { Accept: 'application/yaml' },
  );
  const body = fc.oneof(
    fc.constantFrom('', '{', '[]', 'null', '"x"', '[{"op":"add","path":"/metadata"}]'),
    fc.json(),
    fc.string(),
  );
  const request = fc.record({ method, path: fc.oneof(anyPath, usualPath).filter(isNoStream), query, headers, body });
  await fc.assert(
    fc.asyncProperty(request, async ({ method: verb, path, query: text, headers: sent, body: payload }) => {
      const given = verb === 'GET' || verb === 'HEAD' ? undefined : payload;
      const answer = await server.send(verb, `${path.replaceAll(/[^\x21-\x7e]/g, '')}?${text}`, {
        headers: sent,
        body: given,
      });
      assert.notEqual(answer.code, 500, `${verb} ${path}?${text} ${payload}: ${answer.text}`);
    }),
    { numRuns: 1_500 },
  );
});
