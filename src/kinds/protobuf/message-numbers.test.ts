import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { numbersOf } from '../../schema/protobuf/message-numbers.ts';
import type { ObjectSchema, Schema } from '../../schema/schema.ts';
import { bodySchemas } from '../testing/body-schemas.ts';
import { messageNumbers } from './index.ts';

/** The types that a body consists of, the body's own included. */
function typesIn(schema: Schema): readonly ObjectSchema[] {
  if (schema.type === 'list') return typesIn(schema.item);
  if (schema.type === 'map') return typesIn(schema.value);
  if (schema.type !== 'object') return [];
  return [schema, ...schema.fieldList.flatMap((field) => typesIn(field.schema))];
}

/** In protobuf the envelope says what a body is, not the message. */
const inEnvelope = new Set(['kind', 'apiVersion']);

describe('the numbers of fields', () => {
  const bodies = bodySchemas();
  const bodyTypes = new Set(bodies.map(({ schema }) => schema));
  const types = new Set(bodies.flatMap(({ schema }) => typesIn(schema)));

  it('are there for every field of every type that a body can hold', () => {
    const missing = [...types].flatMap((type) =>
      type.fieldList
        .filter(({ name }) => !(bodyTypes.has(type) && inEnvelope.has(name)))
        .filter(({ name }) => !Object.hasOwn(numbersOf(messageNumbers, type.name), name))
        .map(({ name }) => `${type.name}.${name}`),
    );
    assert.deepEqual(missing, []);
  });

  it('are used once in a type', () => {
    for (const [type, numbers] of Object.entries(messageNumbers)) {
      const places = Object.values(numbers).map(String);
      assert.deepEqual([...new Set(places)], places, type);
      const parts = new Set(
        Object.values(numbers).flatMap((number) => (typeof number === 'number' ? [] : [number[0]])),
      );
      for (const part of parts) assert.ok(!places.includes(String(part)), `${type}: ${part} is a field and a part`);
    }
  });

  it('are numbers that protobuf allows', () => {
    for (const [type, numbers] of Object.entries(messageNumbers)) {
      for (const number of Object.values(numbers).flat()) {
        assert.ok(Number.isInteger(number) && number > 0 && number < 19_000, `${type}: ${number}`);
      }
    }
  });

  it('are listed for no type that no body can hold', () => {
    const names = new Set([...types].flatMap(({ name }) => [name, name.slice(name.indexOf('.') + 1)]));
    assert.deepEqual(
      Object.keys(messageNumbers).filter((name) => !names.has(name)),
      [],
    );
  });

  it('come from one file for each type', async () => {
    const files = await Promise.all([
      import('./access-messages.ts'),
      import('./core-messages.ts'),
      import('./ingress-messages.ts'),
      import('./meta-messages.ts'),
      import('./node-messages.ts'),
      import('./pod-messages.ts'),
      import('./volume-messages.ts'),
      import('./workload-messages.ts'),
    ]);
    const names = files.flatMap((file) => Object.values(file).flatMap((numbers) => Object.keys(numbers)));
    assert.deepEqual(names.toSorted(), Object.keys(messageNumbers).toSorted());
  });
});
