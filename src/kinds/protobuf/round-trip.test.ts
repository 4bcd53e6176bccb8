import assert from 'node:assert/strict';
import { test } from 'node:test';
import * as fc from 'fast-check';
import { decode } from '../../schema/decode.ts';
import { MessagePlans } from '../../schema/protobuf/message-plan.ts';
import { readMessage } from '../../schema/protobuf/read-message.ts';
import { fuzzRuns } from '../../schema/testing/fuzz-runs.ts';
import { writeMessage } from '../../schema/testing/message-writer.ts';
import { objectArbitrary } from '../../schema/testing/value-arbitrary.ts';
import type { ObjectSchema, Schema } from '../../schema/schema.ts';
import { bodySchemas } from '../testing/body-schemas.ts';
import { messageNumbers } from './index.ts';

const plans = new MessagePlans(messageNumbers);

type Fields = Readonly<Record<string, unknown>>;

/** The object as it is read, less what protobuf cannot say: what it is, and that a list or a map is there with nothing in it. */
function sayable(schema: ObjectSchema, body: Fields): Fields {
  const { kind: _kind, apiVersion: _apiVersion, ...rest } = decode(schema, body).value as Fields;
  return withoutEmpty(schema, rest) as Fields;
}

function withoutEmpty(schema: Schema, value: unknown): unknown {
  if (schema.type === 'list') return (value as unknown[]).map((item) => withoutEmpty(schema.item, item));
  if (schema.type !== 'object') return value;
  const kept = Object.entries(value as Fields).filter(([name, field]) => {
    const { type } = schema.fields[name]!.schema;
    return (type !== 'list' && type !== 'map') || Object.keys(field as object).length > 0;
  });
  return Object.fromEntries(kept.map(([name, field]) => [name, withoutEmpty(schema.fields[name]!.schema, field)]));
}

for (const { what, schema } of bodySchemas()) {
  test(`any ${what} is the same in protobuf as in JSON`, () => {
    const property = fc.property(objectArbitrary(schema), fc.boolean(), fc.boolean(), (body, zeros, packed) => {
      const object = sayable(schema, body);
      const bytes = writeMessage(schema, object, { numbers: messageNumbers, zeros, packed });
      assert.deepEqual(decode(schema, readMessage(schema, plans, bytes)), decode(schema, object));
    });
    fc.assert(property, fuzzRuns(40));
  });
}
