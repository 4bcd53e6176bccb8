import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect } from 'node:tls';
import { after, before, describe, test } from 'node:test';
import { parseAccountKeys } from '../src/access/authn/accounts/account-keys.ts';
import { signJwt } from '../src/access/authn/accounts/jwt.ts';
import type { TokenRequest } from '../src/kinds/authentication/token-request.ts';
import { issueClient, openGuardedCluster, type Credentials, type GuardedCluster } from './access/guarded-cluster.ts';

const tokens = [
  'viewer-token,viewer,1',
  'editor-token,editor,2,"editors"',
  'keeper-token,keeper,3',
  'stranger-token,stranger,4',
].join('\n');

const one = '/api/v1/namespaces/one';
const two = '/api/v1/namespaces/two';
const rbac = '/apis/rbac.authorization.k8s.io/v1';
const limit = { timeout: 60_000 };

let guarded: GuardedCluster;
const identities: Record<string, Credentials> = {};

before(async () => {
  guarded = await openGuardedCluster(tokens);
  const { cluster, issue, make } = guarded;
  await furnish();
  const { status } = (await make('POST', `${one}/serviceaccounts/robot/token`, {})) as unknown as TokenRequest;
  Object.assign(identities, {
    admin: { pair: { certificate: cluster.admin.certificate, key: cluster.admin.key } },
    viewer: { token: 'viewer-token' },
    viewerCert: { pair: await issue('viewer', []) },
    editor: { token: 'editor-token' },
    editorCert: { pair: await issue('somebody', ['editors']) },
    keeper: { token: 'keeper-token' },
    robot: { token: status?.token },
    node: { pair: await issue('system:node:n1', ['system:nodes']) },
    stranger: { token: 'stranger-token' },
    nobody: {},
  });
}, limit);
after(() => guarded.close());

/** Two namespaces with the same things in them; rights are given in the first one only. */
async function furnish(): Promise<void> {
  const { make } = guarded;
  for (const name of ['n1', 'n2']) await make('POST', '/api/v1/nodes', { metadata: { name } });
  for (const name of ['one', 'two']) {
    const space = `/api/v1/namespaces/${name}`;
    await make('POST', '/api/v1/namespaces', { metadata: { name } });
    for (const secret of ['used', 'unused']) {
      await make('POST', `${space}/secrets`, { metadata: { name: secret }, data: { hush: 'aHVzaC1odXNo' } });
    }
    await make('POST', `${space}/serviceaccounts`, { metadata: { name: 'robot' } });
    const volumes = [{ name: 'v', secret: { secretName: 'used' } }];
    const containers = [{ name: 'c', image: 'busybox' }];
    for (const [pod, nodeName] of [
      ['mine', 'n1'],
      ['theirs', 'n2'],
    ]) {
      const nodeVolumes = pod === 'mine' && name === 'one' ? volumes : undefined;
      const spec = { nodeName, containers, volumes: nodeVolumes };
      await make('POST', `${space}/pods`, { metadata: { name: pod }, spec });
    }
  }
  await give('view', { kind: 'User', name: 'viewer' });
  await give('edit', { kind: 'Group', name: 'editors' });
  await give('admin', { kind: 'User', name: 'keeper' });
  await give('edit', { kind: 'ServiceAccount', name: 'robot' });
}

let bindings = 0;

async function give(role: string, subject: object): Promise<string> {
  const name = `b${++bindings}`;
  const roleRef = { kind: 'ClusterRole', name: role };
  await guarded.make('POST', `${rbac}/namespaces/one/rolebindings`, {
    metadata: { name },
    subjects: [subject],
    roleRef,
  });
  return `${rbac}/namespaces/one/rolebindings/${name}`;
}

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
const merge = { 'Content-Type': 'application/merge-patch+json' };
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
      for (const [name, who] of Object.entries(identities)) {
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

describe('credentials that are no good', limit, () => {
  /** Paths that even nobody known may ask for are refused, too: no bad credential counts as none. */
  const paths = ['/version', '/api', `${one}/pods`, `${one}/secrets/used`, '/nonsense'];

  async function refused(who: Credentials, headers: Record<string, string> = {}): Promise<void> {
    for (const path of paths) {
      const answer = await guarded.ask(who, 'GET', path, { headers });
      assert.equal(answer.code, 401, `${path}: ${answer.text}`);
      assert.deepEqual(answer.json(), {
        kind: 'Status',
        apiVersion: 'v1',
        metadata: {},
        status: 'Failure',
        message: 'the credentials that were shown are not good',
        reason: 'Unauthorized',
        code: 401,
      });
    }
  }

  const day = 24 * 60 * 60 * 1000;

  test('a certificate of another authority, whatever that calls itself', async () => {
    await refused({ pair: await issueClient('kubernetes-admin', ['system:masters'], {}) });
    const self = await issueClient('wherry-ca', ['system:masters'], {});
    await refused({ pair: self });
  });

  test('a certificate that is over, or not yet good', async () => {
    const past = { notBefore: Date.now() - 2 * day, notAfter: Date.now() - day };
    await refused({ pair: await guarded.issue('kubernetes-admin', ['system:masters'], past) });
    const future = { notBefore: Date.now() + day, notAfter: Date.now() + 2 * day };
    await refused({ pair: await guarded.issue('kubernetes-admin', ['system:masters'], future) });
  });

  test('the certificate of the server itself, and one without a name', async () => {
    await refused({ pair: guarded.servingPair });
    await refused({ pair: await guarded.issue('', ['system:masters']) });
  });

  test('tokens that nobody has, and other uses of the header', async () => {
    await refused({ token: 'viewer-token2' });
    await refused({ token: 'viewer' });
    for (const value of [
      'Bearer',
      'Bearer  ',
      'viewer-token',
      'Basic dmlld2VyOnZpZXdlcg==',
      'Bearer viewer-token, Bearer editor-token',
      'Bearer viewer-token editor-token',
      'Negotiate x',
    ]) {
      await refused({}, { Authorization: value });
    }
  });

  test('a token of an account that was changed anywhere', async () => {
    const token = identities['robot']?.token ?? '';
    const [head = '', body = '', signature = ''] = token.split('.');
    const claims = JSON.parse(Buffer.from(body, 'base64url').toString()) as Record<string, unknown>;
    const other = encode({ ...claims, sub: 'system:serviceaccount:two:robot' });
    for (const changed of [
      `${head}.${other}.${signature}`,
      `${encode({ alg: 'none' })}.${body}.`,
      `${encode({ alg: 'none' })}.${body}.${signature}`,
      `${encode({ alg: 'HS256' })}.${body}.${signature}`,
      `${head}.${body}.${signature.slice(0, -1)}${signature.endsWith('A') ? 'B' : 'A'}`,
      `${head}.${body}`,
      `${token}.`,
    ]) {
      await refused({ token: changed });
    }
  });

  test('a token of an account that is over, for somebody else, or signed by somebody else', async () => {
    const token = identities['robot']?.token ?? '';
    const claims = JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString()) as Record<
      string,
      unknown
    >;
    const { signing } = guarded.accountKeys;
    const now = Math.floor(Date.now() / 1000);
    const good = signJwt({ ...claims, exp: now + 60 }, signing);
    assert.equal((await guarded.ask({ token: good }, 'GET', `${one}/pods`)).code, 200);
    await refused({ token: signJwt({ ...claims, exp: now - 1 }, signing) });
    await refused({ token: signJwt({ ...claims, nbf: now + 3600, exp: now + 7200 }, signing) });
    await refused({ token: signJwt({ ...claims, aud: ['vault'] }, signing) });
    await refused({ token: signJwt({ ...claims, iss: 'https://elsewhere' }, signing) });
    const { key } = await issueClient('x', [], {});
    await refused({ token: signJwt({ ...claims, exp: now + 60 }, parseAccountKeys(key, 'other').signing) });
  });

  test('a token of an account that is gone, even when there is another of its name', async () => {
    const { make } = guarded;
    await make('POST', `${one}/serviceaccounts`, { metadata: { name: 'passing' } });
    const { status } = (await make('POST', `${one}/serviceaccounts/passing/token`, {})) as unknown as TokenRequest;
    assert.equal((await guarded.ask({ token: status?.token }, 'GET', '/api')).code, 200);
    await make('DELETE', `${one}/serviceaccounts/passing`);
    await refused({ token: status?.token });
    await make('POST', `${one}/serviceaccounts`, { metadata: { name: 'passing' } });
    await refused({ token: status?.token });
  });

  test('a bad certificate is made up for by a good token', async () => {
    const pair = await issueClient('kubernetes-admin', ['system:masters'], {});
    const answer = await guarded.ask({ pair, token: 'viewer-token' }, 'GET', `${one}/secrets`);
    assert.equal(answer.code, 403);
    assert.match(answer.text, /viewer/);
  });
});

function encode(value: object): string {
  return Buffer.from(JSON.stringify(value)).toString('base64url');
}

describe('tricks change nothing', limit, () => {
  const viewer: Credentials = { token: 'viewer-token' };

  const paths = [
    `${one}/pods/../secrets`,
    `${one}/pods/%2e%2e/secrets/used`,
    `${one}/pods/..%2fsecrets%2fused`,
    `${one}/pods/mine/../../secrets/used`,
    `${one}%2fsecrets/used`,
    `${one}/pods%2f..%2fsecrets/used`,
    '/api/v1/namespaces/one%2f..%2ftwo/secrets',
    '/api/v1/namespaces/../namespaces/one/secrets',
    '/api/v1/namespaces//one/secrets',
    '//api/v1/namespaces/one/secrets',
    '/api//v1/namespaces/one/secrets',
    '/api/v1/./namespaces/one/secrets',
    '/version/../api/v1/namespaces/one/secrets',
    '/API/v1/namespaces/one/secrets',
    '/api/v1/namespaces/one/Secrets',
    '/api/v1/namespaces/one/secrets;x=y',
    '/api/v1/namespaces/one/secrets%00/used',
    '/api/v1/namespaces/one/secrets%20',
    '/apis/v1/namespaces/one/secrets',
    '/api/v1/namespaces/one/pods/mine/proxy/../../../secrets',
    '/api/v1/proxy/namespaces/one/secrets/used',
    '/api/v1/watch/namespaces/one/secrets',
    '/api/v1/watch/namespaces/one/secrets/used',
    '/api/v1/namespaces/one/secrets/used?watch=true',
    '/api/v1/namespaces/one/secrets?watch=0&fieldSelector=metadata.name%3Dused',
    '/api/v1/namespaces/one/secrets/',
    '/api/v1/namespaces/one/secrets/?x',
    '/api/v1/namespaces/one/secrets#/pods',
    `/api/v1/namespaces/one/secrets/${'a'.repeat(253)}`,
    `/api/v1/namespaces/one/secrets/${'a'.repeat(8000)}`,
    `/api/v1/namespaces/${'a'.repeat(254)}/secrets`,
    `/${'../'.repeat(2000)}api/v1/namespaces/one/secrets`,
  ];
  for (const path of paths) {
    test(`the path ${path.length > 80 ? `${path.slice(0, 80)}…` : path}`, async () => {
      const answer = await guarded.ask(viewer, 'GET', path);
      assert.ok([400, 403, 404].includes(answer.code), `${answer.code} ${answer.text.slice(0, 200)}`);
      assert.doesNotMatch(answer.text, /aHVz|"items"/);
    });
  }

  test('a whole URL in place of the path', async () => {
    const path = `https://elsewhere.example${one}/secrets/used`;
    assert.equal((await guarded.ask(viewer, 'GET', path)).code, 403);
    assert.equal((await guarded.ask({ token: 'editor-token' }, 'GET', path)).code, 200);
  });

  const headers: Record<string, string>[] = [
    { 'X-Remote-User': 'kubernetes-admin', 'X-Remote-Group': 'system:masters' },
    { 'X-Forwarded-User': 'kubernetes-admin', 'X-Forwarded-For': '127.0.0.1', Forwarded: 'for=127.0.0.1' },
    { 'X-Original-URL': `${one}/pods`, 'X-Rewrite-URL': `${one}/pods` },
    { 'X-HTTP-Method-Override': 'OPTIONS', 'X-HTTP-Method': 'OPTIONS' },
    { 'X-Ssl-Client-S-Dn': '/O=system:masters/CN=admin', 'Ssl-Client-Verify': 'SUCCESS' },
    { Impersonate_User: 'kubernetes-admin', Impersonate_Group: 'system:masters' },
    { Cookie: 'token=editor-token', 'Proxy-Authorization': 'Bearer editor-token' },
    { Host: '127.0.0.1' },
  ];
  for (const sent of headers) {
    test(`the headers ${Object.keys(sent).join(', ')}`, async () => {
      const answer = await guarded.ask(viewer, 'GET', `${one}/secrets/used`, { headers: sent });
      assert.equal(answer.code, 403);
      assert.match(answer.text, /user \\"viewer\\" cannot get secrets/);
      assert.equal((await guarded.ask({}, 'GET', `${one}/pods`, { headers: sent })).code, 403);
    });
  }

  test('being taken for somebody else takes the right to', async () => {
    const wish = { 'Impersonate-User': 'kubernetes-admin', 'Impersonate-Group': 'system:masters' };
    for (const who of [viewer, { token: 'keeper-token' }, {}]) {
      assert.equal((await guarded.ask(who, 'GET', `${one}/pods`, { headers: wish })).code, 403);
    }
    const asViewer = { 'Impersonate-User': 'viewer' };
    const admin = identities['admin']!;
    assert.equal((await guarded.ask(admin, 'GET', `${one}/pods`, { headers: asViewer })).code, 200);
    assert.equal((await guarded.ask(admin, 'GET', `${one}/secrets`, { headers: asViewer })).code, 403);
    const robot = { 'Impersonate-User': 'system:serviceaccount:one:robot' };
    assert.equal((await guarded.ask({ token: 'keeper-token' }, 'GET', `${one}/secrets`, { headers: robot })).code, 200);
    const far = { 'Impersonate-User': 'system:serviceaccount:two:robot' };
    assert.equal((await guarded.ask({ token: 'keeper-token' }, 'GET', `${one}/pods`, { headers: far })).code, 403);
  });

  /** Sends text as it is and gives all that comes back until the server ends the connection. */
  async function raw(text: string): Promise<string> {
    const { cluster } = guarded;
    const { hostname, port } = new URL(cluster.secureUrl);
    const socket = connect({ host: hostname, port: Number(port), ca: cluster.admin.authority });
    let received = '';
    socket.setEncoding('utf8');
    socket.on('data', (chunk: string) => (received += chunk));
    socket.on('error', () => undefined);
    await once(socket, 'secureConnect');
    socket.write(text);
    await once(socket, 'close');
    return received;
  }

  const secretRequest = `GET ${one}/secrets/used HTTP/1.1\r\nHost: x\r\nConnection: close\r\n`;
  const asEditor = 'Authorization: Bearer editor-token\r\n';

  test('a request behind another one on the same connection has its own sender', async () => {
    const first = `GET ${one}/pods HTTP/1.1\r\nHost: x\r\n${asEditor}\r\n`;
    const received = await raw(`${first}${secretRequest}\r\n`);
    assert.match(received, /HTTP\/1\.1 200 OK/);
    assert.match(received, /HTTP\/1\.1 403 Forbidden/);
    assert.match(received, /system:anonymous/);
    assert.doesNotMatch(received, /aHVz/);
  });

  const bodies: [what: string, text: string][] = [
    ['two lengths', `Content-Length: 0\r\nContent-Length: 5\r\n\r\n`],
    ['a length beside chunks', `Content-Length: 4\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n`],
    ['chunks that are spelt oddly', `Transfer-Encoding: xchunked\r\n\r\n0\r\n\r\n`],
    ['a folded header', `X-A: b\r\n ${asEditor}\r\n`],
    ['a blank before the colon', `Authorization : Bearer editor-token\r\n\r\n`],
    ['a bare line feed', `X-A: b\n${asEditor}\r\n`],
    ['a NUL', `X-A: b\0\r\n${asEditor}\r\n`],
  ];
  for (const [what, text] of bodies) {
    test(`a request with ${what}`, async () => {
      const hidden = `${secretRequest}${asEditor}\r\n`;
      const received = await raw(`POST ${one}/pods HTTP/1.1\r\nHost: x\r\n${text}${hidden}`);
      assert.match(received, /^HTTP\/1\.1 4\d\d /);
      assert.doesNotMatch(received, /aHVz|HTTP\/1\.1 200/);
    });
  }
});

describe('rights that change', limit, () => {
  test('hold for the next request', async () => {
    const stranger = identities['stranger']!;
    const list = async (): Promise<number> => (await guarded.ask(stranger, 'GET', `${one}/pods`)).code;
    assert.equal(await list(), 403);
    const path = await give('view', { kind: 'User', name: 'stranger' });
    assert.equal(await list(), 200);
    await guarded.make('DELETE', path);
    assert.equal(await list(), 403);
  });

  test('follow labels into roles that are made of others', async () => {
    const widgets = '/apis/extensions/v1beta1/namespaces/one/ingresses';
    const labels = { 'rbac.authorization.k8s.io/aggregate-to-view': 'true' };
    const rules = [{ verbs: ['delete'], apiGroups: ['extensions'], resources: ['ingresses'] }];
    const ask = async (): Promise<number> =>
      (await guarded.ask({ token: 'viewer-token' }, 'DELETE', `${widgets}/x`)).code;
    assert.equal(await ask(), 403);
    await guarded.make('POST', `${rbac}/clusterroles`, { metadata: { name: 'extra', labels }, rules });
    assert.equal(await ask(), 404);
    await guarded.make('DELETE', `${rbac}/clusterroles/extra`);
    assert.equal(await ask(), 403);
  });

  test('nobody hands out more than they have', async () => {
    const keeper: Credentials = { token: 'keeper-token' };
    const roles = `${rbac}/namespaces/one/roles`;
    const own = { metadata: { name: 'own' }, rules: [{ verbs: ['get'], apiGroups: [''], resources: ['pods'] }] };
    assert.equal((await guarded.ask(keeper, 'POST', roles, { body: own })).code, 201);
    const rules = [{ verbs: ['*'], apiGroups: ['*'], resources: ['*'] }];
    assert.equal((await guarded.ask(keeper, 'POST', roles, { body: { ...own, rules } })).code, 403);
    const grown = await guarded.ask(keeper, 'PATCH', `${roles}/own`, { headers: merge, body: { rules } });
    assert.equal(grown.code, 403);
  });
});

test('no token was ever logged', () => {
  const logged = guarded.logged();
  assert.match(logged, /serving/);
  for (const { token } of Object.values(identities)) {
    if (token === undefined) continue;
    assert.equal(logged.includes(token), false);
    const [, , signature] = token.split('.');
    if (signature) assert.equal(logged.includes(signature), false);
  }
});
