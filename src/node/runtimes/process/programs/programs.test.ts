import assert from 'node:assert/strict';
import { mkdir, writeFile } from 'node:fs/promises';
import { Agent, get, type IncomingMessage } from 'node:http';
import { connect } from 'node:net';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { describe, it, type TestContext } from 'node:test';
import { lineOf, logOf, RuntimeFixture, type ContainerWish, type PlanWish } from '../../testing/runtime-fixture.ts';
import { until } from '../../../testing/until.ts';
import { listeningSockets } from '../ports/listening-sockets.ts';
import { openForTest } from '../testing/open-for-test.ts';

interface Served {
  readonly fixture: RuntimeFixture;
  /** Where the container can be reached. */
  readonly url: string;
}

/** Starts a server on a port that needs no rights; the pod's address is its own, so nobody else has it. */
async function serve(
  t: TestContext,
  container: ContainerWish,
  plan: (directory: string) => PlanWish = () => ({}),
): Promise<Served> {
  // prettier-ignore
  const fixture = await RuntimeFixture.create(t, openForTest);
  const running = await fixture.start(container, { environment: { PORT: '29000' }, ...plan(fixture.directory) });
  const line = await lineOf(running, /^listening on /);
  return { fixture, url: `http://${line.split(' ').at(-1)}` };
}

/** The status of an answer, and what is to happen to the connection. */
async function ask(url: string, agent: Agent | false = false): Promise<[number | undefined, string | undefined]> {
  const answer = await new Promise<IncomingMessage>((resolve, reject) => {
    get(url, { agent }, resolve).on('error', reject);
  });
  await text(answer);
  return [answer.statusCode, answer.headers.connection];
}

describe('the web server', () => {
  for (const image of ['nginx', 'httpd:2.4']) {
    it(`${image} serves a page that names the pod, on the pod's address`, async (t) => {
      const { fixture, url } = await serve(t, { image });
      const { ip } = await fixture.runtime.preparePod(fixture.pod('web'));
      assert.equal(url, `http://${ip}:29000`);
      const response = await fetch(url);
      assert.equal(response.headers.get('content-type'), 'text/html; charset=utf-8');
      assert.match(await response.text(), /Welcome to web/);
      await lineOf(await fixture.only(), /^127\..*"GET \/ HTTP\/1.1" 200$/);
    });
  }

  it('serves what is mounted where the real one has its pages, and nothing else', async (t) => {
    const fixture = await RuntimeFixture.create(t, openForTest);
    const pages = join(fixture.directory, 'pages');
    await mkdir(join(pages, 'sub'), { recursive: true });
    await writeFile(join(pages, 'index.html'), '<p>mounted');
    await writeFile(join(pages, 'sub/a b.json'), '{}');
    await writeFile(join(fixture.directory, 'secret'), 'secret');
    const mounts = [{ hostPath: pages, containerPath: '/usr/share/nginx/html', readOnly: true }];
    const container = await fixture.start(
      { image: 'nginx', command: ['nginx', '-g', 'daemon off;'] },
      { environment: { PORT: '29000' }, mounts },
    );
    const url = `http://${(await lineOf(container, /^listening on /)).split(' ').at(-1)}`;
    assert.equal(await (await fetch(url)).text(), '<p>mounted');
    const json = await fetch(`${url}/sub/a%20b.json?x=1`);
    assert.deepEqual([json.headers.get('content-type'), await json.text()], ['application/json', '{}']);
    assert.equal((await fetch(`${url}/missing`)).status, 404);
    assert.equal((await fetch(`${url}/%2e%2e/%2e%2e/secret`)).status, 404);
    assert.equal((await fetch(`${url}/%zz`)).status, 400);
    assert.equal((await fetch(url, { method: 'POST', body: 'x' })).status, 405);
    const head = await fetch(url, { method: 'HEAD' });
    assert.deepEqual([head.status, head.headers.get('content-length')], [200, '10']);
    assert.equal((await container.stop(10_000)).code, 0);
  });

  it('answers whoever still comes after it was told to end, and finishes what is under way', async (t) => {
    const { fixture, url } = await serve(t, { image: 'nginx' });
    const container = await fixture.only();
    const agent = new Agent({ keepAlive: true, maxSockets: 1 });
    t.after(() => agent.destroy());
    assert.deepEqual(await ask(url, agent), [200, 'keep-alive']);
    const stopped = container.stop(30_000);
    // From when the signal is heard, which takes a moment.
    await until(async () => (await ask(url, agent))[1] === 'close');
    assert.deepEqual(await ask(url), [200, 'close']);
    const { hostname, port } = new URL(url);
    const slow = connect(Number(port), hostname);
    slow.write('GET /slow HTTP/1.1\r\n');
    const isListening = async (): Promise<boolean> =>
      (await listeningSockets(Number(port))).some(({ address }) => address === hostname);
    await until(async () => !(await isListening()));
    assert.equal(container.exit, undefined);
    slow.write('Host: pod\r\n\r\n');
    assert.match(String(Buffer.concat(await slow.toArray())), /^HTTP\/1.1 200 OK\r\n/);
    assert.equal((await stopped).code, 0);
  });

  it('says why it cannot listen', async (t) => {
    const fixture = await RuntimeFixture.create(t, openForTest);
    const container = await fixture.start({ image: 'nginx' }, { environment: { POD_IP: '192.0.2.1', PORT: '29000' } });
    assert.equal((await container.exited).code, 1);
    assert.match(await logOf(container), /cannot listen on 192\.0\.2\.1:29000/);
  });
});

describe('the echo server', () => {
  it('answers with the request', async (t) => {
    const { url } = await serve(t, { image: 'k8s.gcr.io/echoserver:1.10' });
    const response = await fetch(`${url}/some/path?x=1`, { method: 'PUT', body: 'words', headers: { 'X-Own': 'yes' } });
    const echo = (await response.json()) as Record<string, unknown> & { headers: Record<string, string> };
    const { pod, method, path, body } = echo;
    assert.deepEqual({ pod, method, path, body }, { pod: 'web', method: 'PUT', path: '/some/path?x=1', body: 'words' });
    assert.equal(echo.headers['x-own'], 'yes');
  });
});
