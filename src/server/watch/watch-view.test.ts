import assert from 'node:assert/strict';
import { afterEach, beforeEach, describe, it } from 'node:test';
import { SteppedClock } from '../../base/stepped-clock.ts';
import { configMap } from '../../kinds/core/config-map.ts';
import { job } from '../../kinds/extensions/job.ts';
import { servedVersions } from '../../kinds/served-version.ts';
import type { AnswerBody } from '../testing/http-client.ts';
import { startServer, type RunningServer } from '../testing/running-server.ts';
import type { ReceivedEvent, WatchClient } from '../testing/watch-client.ts';
import { WatchViews } from './watch-view.ts';

const maps = '/api/v1/namespaces/default/configmaps';

function accepting(as: string): { Accept: string } {
  return { Accept: `application/json;as=${as};v=v1;g=meta.k8s.io,application/json` };
}

interface TableEvent {
  readonly type: string;
  readonly columns: number;
  readonly rows: readonly (readonly unknown[])[];
}

function tableEvent(event: ReceivedEvent | undefined): TableEvent | undefined {
  if (!event) return undefined;
  const { kind, columnDefinitions, rows } = event.object as AnswerBody & {
    columnDefinitions: unknown[];
    rows: { cells: unknown[] }[];
  };
  assert.equal(kind, 'Table');
  return { type: event.type, columns: columnDefinitions.length, rows: rows.map(({ cells }) => cells) };
}

describe('a watch in another shape', () => {
  let server: RunningServer;
  beforeEach(async () => {
    server = await startServer();
  });
  afterEach(() => server.close());

  async function create(name: string, data: Record<string, string> = {}): Promise<AnswerBody> {
    return (await server.send('POST', maps, { body: { metadata: { name }, data } })).json();
  }

  async function next(watch: WatchClient): Promise<TableEvent | undefined> {
    return tableEvent(await watch.next());
  }

  it('tells the columns of a table with the first event only', async () => {
    await create('old');
    const watch = await server.watch(`${maps}?watch=true`, accepting('Table'));
    assert.deepEqual(await next(watch), { type: 'ADDED', columns: 3, rows: [['old', 0, '0s']] });
    await create('new', { a: '1' });
    assert.deepEqual(await next(watch), { type: 'ADDED', columns: 0, rows: [['new', 1, '0s']] });
    await server.send('DELETE', `${maps}/new`);
    assert.deepEqual(await next(watch), { type: 'DELETED', columns: 0, rows: [['new', 1, '0s']] });
    watch.close();
  });

  it('tells the columns with the first change when nothing was there', async () => {
    const first = await create('first');
    const path = `${maps}?watch=true&resourceVersion=${first.metadata.resourceVersion}`;
    const watch = await server.watch(path, accepting('Table'));
    await Promise.all([create('a'), create('b')]);
    const events = [await next(watch), await next(watch)];
    assert.deepEqual(
      events.map((event) => event?.columns),
      [3, 0],
    );
    watch.close();
  });

  it('carries the revision and the metadata of the object', async () => {
    const watch = await server.watch(`/api/v1/watch/namespaces/default/configmaps`, accepting('Table'));
    const created = await create('one');
    const event = await watch.next();
    const { metadata, rows } = event!.object as AnswerBody & { rows: { object: AnswerBody }[] };
    assert.equal(metadata.resourceVersion, created.metadata.resourceVersion);
    assert.deepEqual(rows[0]?.object.metadata, created.metadata);
    watch.close();
  });

  it('sends bookmarks as tables without rows', async () => {
    const watch = await server.watch(
      `${maps}?watch=true&allowWatchBookmarks=true&timeoutSeconds=90`,
      accepting('Table'),
    );
    await create('one');
    assert.equal((await next(watch))?.type, 'ADDED');
    server.clock.step(60_000);
    const bookmark = await watch.next();
    assert.deepEqual(tableEvent(bookmark), { type: 'BOOKMARK', columns: 0, rows: [] });
    assert.match(bookmark?.object.metadata.resourceVersion ?? '', /^\d+$/);
    watch.close();
  });

  it('sends only metadata when that is asked for', async () => {
    const created = await create('one', { a: '1' });
    const watch = await server.watch(`${maps}?watch=true`, accepting('PartialObjectMetadata'));
    const { kind, apiVersion, metadata } = created;
    assert.deepEqual([kind, apiVersion], ['ConfigMap', 'v1']);
    assert.deepEqual(await watch.next(), {
      type: 'ADDED',
      object: { kind: 'PartialObjectMetadata', apiVersion: 'meta.k8s.io/v1', metadata },
    });
    watch.close();
  });

  it('tells errors as they are', async () => {
    const watch = await server.watch(`${maps}?watch=true&resourceVersion=999999999`, accepting('Table'));
    assert.equal(watch.code, 200);
    watch.close();
    const wrong = await server.watch(`${maps}?watch=true&resourceVersion=x`, accepting('Table'));
    assert.equal(wrong.code, 422);
  });
});

describe('views', () => {
  it('are the same for watchers that want the same', () => {
    const views = new WatchViews(new SteppedClock());
    const [served] = servedVersions(configMap);
    const [first, second] = servedVersions(job);
    const table = { as: 'Table', version: 'v1', rowObject: 'Metadata' } as const;
    assert.equal(views.of(served!, table), views.of(served!, { ...table }));
    assert.notEqual(views.of(served!, table), views.of(served!, { ...table, rowObject: 'Object' }));
    assert.notEqual(views.of(served!, table), views.of(served!, undefined));
    assert.notEqual(views.of(first!, table), views.of(second!, table));
  });
});
