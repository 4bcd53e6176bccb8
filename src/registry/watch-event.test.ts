import assert from 'node:assert/strict';
import { test } from 'node:test';
import { configMap } from '../kinds/core/config-map.ts';
import { event as eventKind } from '../kinds/core/event.ts';
import type { Kind } from '../kinds/kind.ts';
import type { Entry } from '../storage/storage.ts';
import { parseSelection } from './selectors/selection.ts';
import { ObjectEvent } from './watch-event.ts';

const key = '/registry/things/one/a';

function entry(app: string, revision: number): Entry {
  const object = { metadata: { name: 'a', labels: { app } }, involvedObject: {}, source: {} };
  return { key, revision, value: Buffer.from(JSON.stringify(object)) };
}

/** What one who selects `app=before` is told of a change to `app=after`: the type, the label and the revision. */
function told(kind: Kind): string {
  const change = new ObjectEvent(kind, { type: 'updated', ...entry('after', 2), previous: entry('before', 1) });
  const type = change.typeFor(parseSelection({ labelSelector: 'app=before' }, kind))!;
  const view = {
    line: (_type: string, { value, revision }: Entry) => {
      const label = /before|after/.exec(value.toString('utf8'))?.[0];
      return Buffer.from(`${label} ${revision}`);
    },
  };
  return `${type} ${change.line(type, view).toString('utf8')}`;
}

test('an object that no longer matches is told as deleted, in the state that does not match', () => {
  assert.equal(told(configMap), 'DELETED after 2');
});

test('an event that no longer matches is told in the state that still did', () => {
  assert.equal(told(eventKind), 'DELETED before 2');
});
