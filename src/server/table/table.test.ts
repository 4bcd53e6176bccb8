import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { pod } from '../../kinds/core/pod.ts';
import { kinds } from '../../kinds/index.ts';
import { servedVersions } from '../../kinds/served-version.ts';
import type { AnswerBody } from '../testing/http-client.ts';
import { startServer, type RunningServer } from '../testing/running-server.ts';

interface Row {
  readonly cells: readonly unknown[];
  readonly object?: AnswerBody;
}

interface Table extends AnswerBody {
  readonly columnDefinitions: readonly { readonly name: string; readonly priority: number }[];
  readonly rows: readonly Row[];
}

function accepting(as: string, version = 'v1'): { headers: { Accept: string } } {
  return { headers: { Accept: `application/json;as=${as};v=${version};g=meta.k8s.io` } };
}

const tables = accepting('Table');
const pods = '/api/v1/namespaces/default/pods';

function podNamed(name: string): object {
  return { ...pod.example, metadata: { name, labels: { app: name } } };
}

describe('tables', () => {
  let server: RunningServer;
  before(async () => {
    server = await startServer();
    for (const name of ['one', 'two', 'three']) await server.send('POST', pods, { body: podNamed(name) });
  });
  after(() => server.close());

  async function table(path: string, sent = tables): Promise<Table> {
    const answer = await server.send('GET', path, sent);
    assert.equal(answer.code, 200, answer.text);
    return answer.json() as Table;
  }

  it('show a list in rows, each with the metadata of its object', async () => {
    server.clock.step(90_000);
    const { kind, apiVersion, metadata, columnDefinitions, rows } = await table(pods);
    assert.deepEqual([kind, apiVersion], ['Table', 'meta.k8s.io/v1']);
    assert.match(metadata.resourceVersion ?? '', /^\d+$/);
    const names = columnDefinitions.map(({ name, priority }) => (priority > 0 ? `(${name})` : name));
    assert.deepEqual(names, ['Name', 'Ready', 'Status', 'Restarts', 'Age', '(IP)', '(Node)']);
    assert.deepEqual(
      rows.map(({ cells }) => cells),
      [
        ['one', '0/1', 'Pending', 0, '90s', '<none>', '<none>'],
        ['three', '0/1', 'Pending', 0, '90s', '<none>', '<none>'],
        ['two', '0/1', 'Pending', 0, '90s', '<none>', '<none>'],
      ],
    );
    const whole = (await server.send('GET', `${pods}/one`)).json();
    const object = { kind: 'PartialObjectMetadata', apiVersion: 'meta.k8s.io/v1', metadata: whole.metadata };
    assert.deepEqual(rows[0]?.object, object);
  });

  it('show a single object in one row', async () => {
    const whole = (await server.send('GET', `${pods}/two`)).json();
    const { metadata, rows } = await table(`${pods}/two`);
    const { selfLink, resourceVersion } = whole.metadata;
    assert.deepEqual(metadata, { selfLink, resourceVersion });
    assert.equal(rows.length, 1);
    assert.equal(rows[0]?.cells[0], 'two');
  });

  it('carry as much of the object as is asked for', async () => {
    const whole = (await server.send('GET', `${pods}/one`)).json();
    const none = await table(`${pods}/one?includeObject=None`);
    assert.deepEqual(Object.keys(none.rows[0] ?? {}), ['cells']);
    const all = await table(`${pods}/one?includeObject=Object`);
    assert.deepEqual(all.rows[0]?.object, whole);
    const wrong = await server.send('GET', `${pods}?includeObject=Half`, tables);
    assert.equal(wrong.code, 400);
  });

  it('come in the version that is asked for', async () => {
    const older = await table(pods, accepting('Table', 'v1beta1'));
    assert.equal(older.apiVersion, 'meta.k8s.io/v1beta1');
    assert.equal(older.rows[0]?.object?.apiVersion, 'meta.k8s.io/v1beta1');
    const unknown = await server.send('GET', pods, {
      headers: { Accept: 'application/json;as=Table;v=v9;g=meta.k8s.io,application/json' },
    });
    assert.equal(unknown.json().kind, 'PodList');
  });

  it('come in parts', async () => {
    const first = await table(`${pods}?limit=2`);
    assert.equal(first.rows.length, 2);
    const token = encodeURIComponent(String((first.metadata as { continue?: string }).continue));
    const rest = await table(`${pods}?limit=2&continue=${token}`);
    assert.deepEqual(
      rest.rows.map(({ cells }) => cells[0]),
      ['two'],
    );
  });

  it('show what a selector chooses', async () => {
    const { rows } = await table(`/api/v1/pods?labelSelector=app%3Dthree`);
    assert.deepEqual(
      rows.map(({ cells }) => cells[0]),
      ['three'],
    );
  });

  it('show what is worked out rather than stored', async () => {
    const list = await table('/api/v1/componentstatuses');
    assert.deepEqual(list.rows[0]?.cells, ['storage', 'Healthy', '', '']);
    const single = await table('/api/v1/componentstatuses/storage');
    assert.deepEqual(single.rows, list.rows);
  });

  it('answer writes, too', async () => {
    const created = await server.send('POST', pods, { ...tables, body: podNamed('four') });
    assert.equal((created.json() as Table).rows[0]?.cells[0], 'four');
    const gone = await server.send('DELETE', `${pods}/four`, tables);
    assert.equal((gone.json() as Table).rows[0]?.cells[0], 'four');
  });

  it('are nothing that an error or a document comes as', async () => {
    const missing = await server.send('GET', `${pods}/nobody`, tables);
    assert.deepEqual([missing.code, missing.json().kind], [404, 'Status']);
    const discovery = await server.send('GET', '/api/v1', tables);
    assert.equal(discovery.code, 406);
  });

  it('are written for people when that is asked for', async () => {
    const { text } = await server.send('GET', `${pods}?pretty=true`, tables);
    assert.match(text, /^\{\n {2}"kind": "Table"/);
  });

  it('are whole when they are made in several turns', async () => {
    const many = await startServer();
    try {
      const creating = Array.from({ length: 600 }, (_, i) => many.send('POST', pods, { body: podNamed(`pod-${i}`) }));
      await Promise.all(creating);
      const answer = await many.send('GET', pods, tables);
      assert.equal((answer.json() as Table).rows.length, 600);
    } finally {
      await many.close();
    }
  });

  for (const kind of kinds) {
    for (const { prefix, apiVersion } of servedVersions(kind)) {
      it(`have the same columns for ${kind.resource} in ${apiVersion}`, async () => {
        const { columnDefinitions } = await table(`${prefix}/${kind.resource}`);
        assert.deepEqual(
          columnDefinitions.map(({ name }) => name),
          kind.columns.map(({ name }) => name),
        );
      });
    }
  }
});

describe('partial metadata', () => {
  let server: RunningServer;
  before(async () => {
    server = await startServer();
    for (const name of ['one', 'two']) await server.send('POST', pods, { body: podNamed(name) });
  });
  after(() => server.close());

  it('is all that is sent of an object', async () => {
    const whole = (await server.send('GET', `${pods}/one`)).json();
    const { kind, apiVersion, metadata, ...rest } = (
      await server.send('GET', `${pods}/one`, accepting('PartialObjectMetadata'))
    ).json();
    assert.deepEqual([kind, apiVersion, rest], ['PartialObjectMetadata', 'meta.k8s.io/v1', {}]);
    assert.deepEqual(metadata, whole.metadata);
  });

  it('is all that is sent of the objects of a list', async () => {
    const list = (await server.send('GET', pods, accepting('PartialObjectMetadataList'))).json();
    assert.equal(list.kind, 'PartialObjectMetadataList');
    assert.match(list.metadata.resourceVersion ?? '', /^\d+$/);
    assert.deepEqual(
      list.items?.map(({ kind, metadata }) => [kind, metadata.name]),
      [
        ['PartialObjectMetadata', 'one'],
        ['PartialObjectMetadata', 'two'],
      ],
    );
  });

  it('is refused for a list in the form of a single object', async () => {
    const answer = await server.send('GET', pods, accepting('PartialObjectMetadata'));
    assert.equal(answer.code, 406);
  });
});
