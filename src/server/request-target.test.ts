import assert from 'node:assert/strict';
import { test } from 'node:test';
import { kinds } from '../kinds/index.ts';
import { ApiError } from '../kinds/meta/api-error.ts';
import { parseTarget, type RequestTarget } from './request-target.ts';
import { buildRoutes } from './routes.ts';

const routes = buildRoutes(kinds);

function parse(path: string): RequestTarget {
  const target = parseTarget(path, routes);
  assert.ok(target, `${path} leads to a resource`);
  return target;
}

function methods(path: string): string[] {
  return [...parse(path).endpoint.keys()].sort();
}

function codeOf(path: string): number {
  try {
    parseTarget(path, routes);
  } catch (error) {
    assert.ok(error instanceof ApiError);
    return error.code;
  }
  return 200;
}

test('a path names its group, namespace, resource, object and part', () => {
  const { resource, namespace, name, subresource } = parse(
    '/apis/extensions/v1beta1/namespaces/shop/jobs/count/status',
  );
  assert.deepEqual(
    { resource: resource.name, group: resource.served.group, namespace, name, subresource },
    { resource: 'jobs', group: 'extensions', namespace: 'shop', name: 'count', subresource: 'status' },
  );
});

test('namespaces are a resource of their own and the scope of others', () => {
  assert.deepEqual(methods('/api/v1/namespaces'), ['DELETE', 'GET', 'POST']);
  assert.equal(parse('/api/v1/namespaces/shop').name, 'shop');
  assert.equal(parse('/api/v1/namespaces/shop/finalize').subresource, 'finalize');
  assert.equal(parse('/api/v1/namespaces/shop/status').resource.name, 'namespaces');
  assert.equal(parse('/api/v1/namespaces/status/pods').namespace, 'status');
});

test('a collection over all namespaces can only be read', () => {
  assert.deepEqual(methods('/api/v1/pods'), ['GET']);
  assert.deepEqual(methods('/api/v1/namespaces/shop/pods'), ['DELETE', 'GET', 'POST']);
});

test('watch paths lead to collections and to single objects', () => {
  assert.equal(parse('/api/v1/watch/pods').name, undefined);
  assert.equal(parse('/api/v1/watch/namespaces/shop').name, 'shop');
  assert.equal(parse('/api/v1/watch/namespaces/shop/pods').namespace, 'shop');
  assert.equal(parse('/api/v1/watch/namespaces/shop/pods/web').name, 'web');
  assert.equal(parse('/api/v1/watch/nodes/one').name, 'one');
  for (const path of ['/api/v1/watch', '/api/v1/watch/pods/web', '/api/v1/watch/componentstatuses']) {
    assert.equal(codeOf(path), 404, path);
  }
});

test('what follows a proxy path is kept as it was sent', () => {
  const proxied = parse('/api/v1/namespaces/shop/services/web:http/proxy/a%2Fb//c/');
  assert.equal(proxied.name, 'web:http');
  assert.equal(proxied.rest, '/a%2Fb//c/');
  assert.equal(parse('/api/v1/proxy/namespaces/shop/services/web/a/../b').rest, '/a/../b');
  assert.equal(parse('/api/v1/proxy/nodes/one').rest, '');
  assert.equal(parse('/api/v1/proxy/nodes/one/').rest, '/');
  assert.equal(codeOf('/api/v1/proxy/namespaces/shop/configmaps/x'), 404);
});

test('segments are decoded once, after the path was split', () => {
  assert.equal(parse('/api/v1/nodes/a%2541').name, 'a%41');
  assert.equal(parse('/api/v1/nodes/caf%C3%A9').name, 'café');
  assert.equal(codeOf('/api/v1/nodes/a%2Fb'), 404);
  assert.equal(codeOf('/api/v1/nodes/%2e%2e'), 400);
  assert.equal(codeOf('/api/v1/nodes/..'), 400);
  assert.equal(codeOf('/api/v1/nodes/%00'), 400);
  assert.equal(codeOf('/api/v1/nodes/%E0%A4'), 400);
  assert.equal(codeOf('/api/v1/namespaces/%2e%2e/pods'), 400);
});

test('one slash at the end is overlooked, empty segments are not', () => {
  assert.deepEqual(methods('/api/v1/pods/'), ['GET']);
  assert.equal(codeOf('/api/v1/pods//'), 404);
  assert.equal(codeOf('/api/v1//pods'), 404);
  assert.equal(codeOf('/api/v1/namespaces//pods'), 404);
});

test('a name that is too long for any object leads nowhere', () => {
  assert.equal(parse(`/api/v1/nodes/${'a'.repeat(253)}`).name?.length, 253);
  assert.equal(codeOf(`/api/v1/nodes/${'a'.repeat(254)}`), 404);
  assert.equal(codeOf(`/api/v1/nodes/${'%61'.repeat(5000)}`), 404);
});

test('paths that are not there are told apart from paths that are no resource', () => {
  for (const path of [
    '/api/v1/nothing',
    '/api/v1/namespaces/shop/nodes',
    '/api/v1/pods/web',
    '/api/v1/pods/web/status',
    '/api/v1/namespaces/shop/pods/web/nothing',
    '/api/v1/namespaces/shop/pods/web/status/more',
    '/api/v1/namespaces/shop/deployments',
    '/apis/extensions/v1beta1/namespaces/shop/pods',
    '/apis/extensions/v1beta1/namespaces/shop/replicationcontrollers',
    '/apis/extensions/v1beta1/namespaces',
    '/api/v1/constructor',
  ]) {
    assert.equal(codeOf(path), 404, path);
  }
  for (const path of [
    '/',
    '/api',
    '/api/v1',
    '/api/v1/',
    '/apis',
    '/apis/extensions/v1beta1',
    '/version',
    '/api/v2/pods',
  ]) {
    assert.equal(parseTarget(path, routes), undefined, path);
  }
});
