import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { startServer, type RunningServer } from '../testing/running-server.ts';

const protobuf = 'application/com.github.proto-openapi.spec.v2@v1.0+protobuf';

let server: RunningServer;
before(async () => {
  server = await startServer();
});
after(() => server.close());

describe('descriptions over HTTP', () => {
  it('come as JSON unless something else is asked for', async () => {
    for (const path of ['/openapi/v2', '/openapi/v3', '/openapi/v3/api/v1', '/swaggerapi', '/swaggerapi/api/v1']) {
      for (const accept of ['', '*/*', 'application/json, */*']) {
        const answer = await server.send('GET', path, { headers: { Accept: accept } });
        assert.equal(answer.code, 200, path);
        assert.equal(answer.headers['content-type'], 'application/json');
        assert.ok(answer.json());
      }
    }
  });

  it('come in protobuf under a name that is a media type', async () => {
    const { code, headers, text } = await server.send('GET', '/openapi/v2', { headers: { Accept: protobuf } });
    assert.equal(code, 200);
    assert.equal(headers['content-type'], 'application/com.github.proto-openapi.spec.v2.v1.0+protobuf');
    assert.match(text, /^\n\x032\.0/); // eslint-disable-line no-control-regex -- the first field of the message
  });

  it('are found where the first clients of OpenAPI look', async () => {
    const json = await server.send('GET', '/swagger.json');
    assert.equal(json.text, (await server.send('GET', '/openapi/v2')).text);
    const binary = await server.send('GET', '/swagger-2.0.0.pb-v1', { headers: { Accept: 'application/json, */*' } });
    assert.equal(binary.headers['content-type'], 'application/com.github.proto-openapi.spec.v2.v1.0+protobuf');
  });

  it('are refused in a form that there is not', async () => {
    const answer = await server.send('GET', '/openapi/v2', { headers: { Accept: 'text/html' } });
    assert.equal(answer.code, 406);
    assert.equal(answer.json().reason, 'NotAcceptable');
  });

  it('are not sent again to who has them', async () => {
    const first = await server.send('GET', '/openapi/v2');
    const tag = String(first.headers.etag);
    const again = await server.send('GET', '/openapi/v2', { headers: { 'If-None-Match': `"other", ${tag}` } });
    assert.equal(again.code, 304);
    assert.equal(again.text, '');
    assert.equal(again.headers.etag, tag);
    const other = await server.send('GET', '/openapi/v2', { headers: { Accept: protobuf, 'If-None-Match': tag } });
    assert.equal(other.code, 200);
    assert.notEqual(other.headers.etag, tag);
  });

  it('are packed for who likes that', async () => {
    const { headers } = await server.send('GET', '/openapi/v2', { headers: { 'Accept-Encoding': 'gzip' } });
    assert.equal(headers['content-encoding'], 'gzip');
    assert.equal(headers.vary, 'Accept, Accept-Encoding');
  });

  it('can be kept for ever when they are asked for by their hash', async () => {
    const { paths } = (await server.send('GET', '/openapi/v3')).json() as unknown as {
      paths: Record<string, { serverRelativeURL: string }>;
    };
    assert.ok(paths['api/v1'] && paths['apis/extensions/v1beta1']);
    for (const [part, { serverRelativeURL }] of Object.entries(paths)) {
      const answer = await server.send('GET', serverRelativeURL);
      assert.equal(answer.code, 200, part);
      assert.match(String(answer.headers['cache-control']), /immutable/);
    }
    const stale = await server.send('GET', '/openapi/v3/api/v1?hash=00');
    assert.equal(stale.code, 200);
    assert.doesNotMatch(String(stale.headers['cache-control']), /immutable/);
  });

  it('can only be read', async () => {
    const answer = await server.send('POST', '/openapi/v2', { body: {} });
    assert.equal(answer.code, 405);
    assert.equal(answer.headers.allow, 'GET');
    const head = await server.send('HEAD', '/openapi/v3');
    assert.deepEqual([head.code, head.text], [200, '']);
  });

  it('are told from paths that only look like theirs', async () => {
    for (const path of ['/openapi', '/openapi/v1', '/openapi/v3/apis/nothing/v1', '/swaggerapi/nothing', '/swagger']) {
      assert.equal((await server.send('GET', path)).code, 404, path);
    }
  });

  it('are listed at the root', async () => {
    const { paths } = (await server.send('GET', '/')).json() as unknown as { paths: string[] };
    for (const path of ['/openapi/v2', '/openapi/v3', '/swaggerapi']) assert.ok(paths.includes(path), path);
  });
});
