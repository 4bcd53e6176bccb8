import assert from 'node:assert/strict';
import { test } from 'node:test';
import { decode } from '../schema/decode.ts';
import { kinds } from './index.ts';
import { begun, refusals } from './testing/first-write.ts';

for (const kind of kinds) {
  test(`the example of ${kind.kind} is valid`, () => {
    assert.deepEqual(refusals(kind, kind.example), []);
    assert.equal(kind.nameFormat.check(kind.example.metadata.name ?? ''), undefined);
  });

  test(`completing ${kind.kind} twice changes nothing more`, () => {
    const once = begun(kind, kind.example);
    assert.deepEqual(decode(kind.schema, once).value, once);
  });
}
