import assert from 'node:assert/strict';
import { once } from 'node:events';
import { after, before, describe, test } from 'node:test';
import { connect } from 'node:tls';
import type { Credentials } from './guarded-cluster.ts';
import { limit, one, openPeopledCluster, type PeopledCluster } from './peopled-cluster.ts';

let guarded: PeopledCluster;
before(async () => {
  guarded = await openPeopledCluster();
}, limit);
after(() => guarded.close());

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
    const admin = guarded.identities['admin']!;
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

test('no token was ever logged', () => guarded.assertNoTokenLogged());
