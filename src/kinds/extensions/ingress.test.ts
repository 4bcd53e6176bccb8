import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ingress } from './ingress.ts';
import { admit, checkExample } from './testing/admit.ts';

const backend = { serviceName: 'web', servicePort: 80 };

function mistakesIn(spec: unknown): readonly string[] {
  return admit(ingress, { metadata: { name: 'a' }, spec }).mistakes;
}

function mistakesInRule(rule: object): readonly string[] {
  return mistakesIn({ rules: [{ http: { paths: [{ backend }] } }, rule] });
}

test('the example passes and stays as it is', () => checkExample(ingress));

test('a backend or rules must be there', () => {
  assert.deepEqual(mistakesIn({}), ['spec Invalid']);
  assert.deepEqual(mistakesIn(undefined), ['spec Invalid']);
  assert.deepEqual(mistakesIn({ rules: [] }), ['spec Invalid']);
  assert.deepEqual(mistakesIn({ backend }), []);
  assert.deepEqual(mistakesIn({ rules: [{}] }), []);
});

test('a backend is a service and one of its ports', () => {
  const cases: [backend: object, mistakes: string[]][] = [
    [{}, ['spec.backend.serviceName Required']],
    [{ serviceName: 'web' }, ['spec.backend.servicePort Invalid']],
    [{ serviceName: 'web', servicePort: 65536 }, ['spec.backend.servicePort Invalid']],
    [{ serviceName: 'web', servicePort: 65535 }, []],
    [{ serviceName: 'web', servicePort: 'http' }, []],
    [{ serviceName: 'web', servicePort: '' }, ['spec.backend.servicePort Invalid']],
    [{ serviceName: 'web', servicePort: '80' }, ['spec.backend.servicePort Invalid']],
    [
      { serviceName: 'Web_1', servicePort: 0 },
      ['spec.backend.serviceName Invalid', 'spec.backend.servicePort Invalid'],
    ],
  ];
  for (const [each, mistakes] of cases) assert.deepEqual(mistakesIn({ backend: each }), mistakes, JSON.stringify(each));
});

test('a host is a name', () => {
  assert.deepEqual(mistakesInRule({ host: 'foo.example.com' }), []);
  assert.deepEqual(mistakesInRule({ host: '' }), []);
  for (const host of ['10.0.0.1', 'bad host', 'Upper.example.com', '::1', '*.example.com']) {
    assert.deepEqual([...new Set(mistakesInRule({ host }))], ['spec.rules[1].host Invalid'], host);
  }
});

test('paths begin with a slash and are patterns', () => {
  const inPath = (path: string): readonly string[] => mistakesInRule({ http: { paths: [{ path, backend }] } });
  assert.deepEqual(inPath('/b.*'), []);
  assert.deepEqual(inPath(''), []);
  assert.deepEqual(inPath('relative'), ['spec.rules[1].http.paths[0].path Invalid']);
  assert.deepEqual(inPath('/('), ['spec.rules[1].http.paths[0].path Invalid']);
});

test('rules say where requests go', () => {
  assert.deepEqual(mistakesInRule({ http: {} }), ['spec.rules[1].http.paths Required']);
  assert.deepEqual(mistakesInRule({ http: { paths: [{ path: '/a' }] } }), [
    'spec.rules[1].http.paths[0].backend.serviceName Required',
  ]);
});

test('a certificate need not be in a secret', () => {
  const { mistakes, object } = admit(ingress, { spec: { backend, tls: [{ secretName: 's' }, { hosts: ['a'] }, {}] } });
  assert.deepEqual(mistakes, []);
  assert.deepEqual(object.spec.tls, [{ secretName: 's' }, { hosts: ['a'] }, {}]);
});

test('a new ingress has no status', () => {
  const status = { loadBalancer: { ingress: [{ ip: '203.0.113.1' }] } };
  assert.deepEqual(admit(ingress, { ...ingress.example, status }).object.status, { loadBalancer: {} });
});
