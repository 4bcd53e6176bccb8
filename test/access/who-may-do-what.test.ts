import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { limit, merge, one, openPeopledCluster, rbac, two, type PeopledCluster } from './peopled-cluster.ts';

let guarded: PeopledCluster;
before(async () => {
  guarded = await openPeopledCluster();
}, limit);
after(() => guarded.close());

/** Everybody who is not named gets 403. */
type Expected = Readonly<Record<string, number>>;

const users = ['viewer', 'viewerCert', 'editor', 'editorCert', 'keeper', 'robot'];
const writers = ['editor', 'editorCert', 'keeper', 'robot'];
const known = [...users, 'node', 'stranger', 'admin'];
const all = (names: readonly string[], code: number): Expected => Object.fromEntries(names.map((name) => [name, code]));

const map = { metadata: { name: 'm' } };
const mapOne = { metadata: { generateName: 'm-' } };
const binding = {
  metadata: { name: 'x' },
  subjects: [{ kind: 'User', name: 'x' }],
  roleRef: { kind: 'ClusterRole', name: 'view' },
};
const strongBinding = { ...binding, roleRef: { kind: 'ClusterRole', name: 'cluster-admin' } };
const review = { spec: { resourceAttributes: { verb: 'list', resource: 'pods', namespace: 'one' } } };

const matrix: [request: string, expected: Expected, body?: object][] = [
  ['GET /version', { ...all(known, 200), nobody: 200 }],
  ['GET /healthz', { ...all(known, 200), nobody: 200 }],
  ['GET /api', all(known, 200)],
  ['GET /apis/extensions/v1beta1', all(known, 200)],
  ['GET /metrics', { admin: 200 }],
  ['GET /nonsense', { admin: 404 }],

  [`GET ${one}/pods`, { ...all(users, 200), admin: 200 }],
  [`GET ${one}/pods/theirs`, { ...all(users, 200), admin: 200 }],
  [`GET ${one}/pods/mine`, { ...all(users, 200), admin: 200, node: 200 }],
  [`GET ${one}/pods/gone`, { ...all(users, 404), admin: 404, node: 404 }],
  [`GET ${one}/pods/mine/log`, { ...all(users, 503), admin: 503 }],
  [`GET ${two}/pods`, { admin: 200 }],
  [`GET ${two}/pods/theirs`, { admin: 200 }],
  ['GET /api/v1/pods', { admin: 200 }],
  ['GET /api/v1/pods?fieldSelector=spec.nodeName%3Dn1', { admin: 200, node: 200 }],
  ['GET /api/v1/pods?fieldSelector=spec.nodeName%3Dn2', { admin: 200 }],
  [`GET ${two}/pods?fieldSelector=metadata.namespace%3Done`, { admin: 200 }],
  ['GET /api/v1/watch/pods?timeoutSeconds=1', { admin: 200 }],
  [`GET ${one}`, { ...all(users, 200), admin: 200 }],
  [`GET ${two}`, { admin: 200 }],
  ['GET /api/v1/namespaces', { admin: 200 }],

  [`GET ${one}/secrets`, { ...all(writers, 200), admin: 200 }],
  [`GET ${one}/secrets/used`, { ...all(writers, 200), admin: 200, node: 200 }],
  [`GET ${one}/secrets/unused`, { ...all(writers, 200), admin: 200 }],
  [`GET ${one}/secrets?fieldSelector=metadata.name%3Dused`, { ...all(writers, 200), admin: 200, node: 200 }],
  [`GET ${one}/secrets?fieldSelector=metadata.name!%3Dunused`, { ...all(writers, 200), admin: 200 }],
  [`GET ${two}/secrets/used`, { admin: 200 }],

  [`POST ${one}/configmaps?dryRun=All`, { ...all(writers, 200), admin: 200 }, mapOne],
  [`POST ${two}/configmaps?dryRun=All`, { admin: 200 }, mapOne],
  [`PUT ${one}/configmaps/none?dryRun=All`, { ...all(writers, 404), admin: 404 }, { metadata: { name: 'none' } }],
  [`PATCH ${one}/pods/mine?dryRun=All`, { ...all(writers, 200), admin: 200 }, { metadata: { labels: { a: 'b' } } }],
  [`DELETE ${one}/secrets?dryRun=All`, { ...all(writers, 200), admin: 200 }],
  [`DELETE ${two}/secrets?dryRun=All`, { admin: 200 }],
  [`PUT ${one}/pods?dryRun=All`, { ...all(writers, 405), admin: 405 }, map],
  [`POST ${one}/pods/mine/exec?command=ls`, { ...all(writers, 503), admin: 503 }],
  [`GET ${one}/pods/mine/exec?command=ls`, { ...all(writers, 503), admin: 503 }],
  [`GET /api/v1/proxy/namespaces/one/pods/mine/`, { ...all(writers, 503), admin: 503 }],
  [`DELETE ${one}?dryRun=All`, { admin: 200 }],

  ['GET /api/v1/nodes', { admin: 200 }],
  ['GET /api/v1/nodes/n1', { admin: 200, node: 200 }],
  ['GET /api/v1/nodes/n2', { admin: 200 }],
  ['PATCH /api/v1/nodes/n1?dryRun=All', { admin: 200, node: 200 }, { metadata: { labels: { a: 'b' } } }],
  ['PATCH /api/v1/nodes/n2?dryRun=All', { admin: 200 }, { metadata: { labels: { a: 'b' } } }],
  ['POST /api/v1/nodes?dryRun=All', { admin: 200 }, { metadata: { name: 'n3' } }],

  [`GET ${rbac}/namespaces/one/rolebindings`, { keeper: 200, admin: 200 }],
  [`POST ${rbac}/namespaces/one/rolebindings?dryRun=All`, { keeper: 201, admin: 201 }, binding],
  [`POST ${rbac}/namespaces/one/rolebindings?dryRun=All`, { admin: 201 }, strongBinding],
  [`POST ${rbac}/namespaces/two/rolebindings?dryRun=All`, { admin: 201 }, binding],
  [`POST ${rbac}/clusterrolebindings?dryRun=All`, { admin: 201 }, binding],
  [`GET ${rbac}/clusterroles/view`, { admin: 200 }],

  ['POST /apis/authorization.k8s.io/v1/selfsubjectaccessreviews', all(known, 201), review],
  ['POST /apis/authentication.k8s.io/v1/selfsubjectreviews', all(known, 201), {}],
  [
    'POST /apis/authorization.k8s.io/v1/namespaces/one/localsubjectaccessreviews',
    { keeper: 201, admin: 201 },
    { spec: { ...review.spec, user: 'x' } },
  ],
  [
    'POST /apis/authorization.k8s.io/v1/subjectaccessreviews',
    { node: 201, admin: 201 },
    { spec: { ...review.spec, user: 'x' } },
  ],
  ['POST /apis/authentication.k8s.io/v1/tokenreviews', { node: 201, admin: 201 }, { spec: { token: 'x' } }],
  [`POST ${one}/serviceaccounts/robot/token`, { ...all(writers, 201), admin: 201 }, {}],
  [`POST ${two}/serviceaccounts/robot/token`, { admin: 201 }, {}],
];

describe('who may do what', limit, () => {
  for (const [request, expected, body] of matrix) {
    test(`${request}${body ? ` ${JSON.stringify(body).slice(0, 80)}` : ''}`, async () => {
      const [method = '', path = ''] = request.split(' ');
      const headers = method === 'PATCH' ? merge : { 'Content-Type': 'application/json' };
      for (const [name, who] of Object.entries(guarded.identities)) {
        const answer = await guarded.ask(who, method, path, { headers, body });
        assert.equal(answer.code, expected[name] ?? 403, `${name}: ${answer.text}`);
        if (answer.code !== 403) continue;
        const status = answer.json();
        assert.deepEqual([status.kind, status.reason, status.code], ['Status', 'Forbidden', 403]);
        assert.doesNotMatch(answer.text, /hush|aHVz|ClusterRole|RoleBinding/, name);
      }
    });
  }

  test('the plain port is open to everything', async () => {
    await guarded.make('GET', `${two}/secrets/used`);
    await guarded.make('POST', `${rbac}/clusterrolebindings?dryRun=All`, strongBinding);
  });
});

test('no token was ever logged', () => guarded.assertNoTokenLogged());
