import assert from 'node:assert/strict';
import { test } from 'node:test';
import { integer, list, manyOf, object, one, oneOf, string, strings } from './builders.ts';
import { decode } from './decode.ts';
import { dnsLabel } from './formats.ts';
import { Path } from './path.ts';
import type { ObjectSchema } from './schema.ts';
import { validate } from './validate.ts';

interface Port {
  number?: number;
  protocol?: string;
}
const port: ObjectSchema<Port> = object<Port>('Port', 'A port.', {
  number: integer('Its number.', { min: 1, max: 65535 }).mandatory(),
  protocol: oneOf(['TCP', 'UDP'], 'Its protocol.'),
});

interface Box {
  name?: string;
  ports?: Port[];
}
const box: ObjectSchema<Box> = object<Box>(
  'Box',
  'A box.',
  {
    name: string('Its name.', dnsLabel).mandatory(),
    size: integer('Its size.', { min: 0 }),
    ports: list(port, 'Ports.'),
    main: one(port, 'The main port.'),
    hosts: strings('Hosts.', dnsLabel),
    modes: manyOf(['a', 'b'], 'Modes.'),
  },
  {
    validate(value, path, errors) {
      if (value.name === 'forbidden') errors.forbidden(path.at('name'), 'another name is needed');
    },
  },
);

function errorsOf(input: object): string[] {
  return validate(box, decode(box, input).value).list.map(({ field, reason }) => `${field} ${reason}`);
}

test('an object that keeps the rules has no errors', () => {
  const input = { name: 'b', size: 0, ports: [{ number: 80, protocol: 'TCP' }], hosts: ['h'], modes: ['a'] };
  assert.deepEqual(errorsOf(input), []);
});

test('mandatory fields must be there, in inner objects too', () => {
  const expected = ['name FieldValueRequired', 'ports[1].number FieldValueRequired', 'main.number FieldValueRequired'];
  assert.deepEqual(errorsOf({ ports: [{ number: 1 }, {}], main: {} }), expected);
  assert.deepEqual(errorsOf({ name: '' }), ['name FieldValueRequired']);
});

test('an object that is absent need not be complete', () => {
  assert.deepEqual(errorsOf({ name: 'b' }), []);
});

test('closed lists, formats and bounds are held, and all mistakes are named', () => {
  const input = {
    name: 'Not A Label',
    size: -1,
    ports: [{ number: 65536, protocol: 'SCTP' }],
    hosts: ['good', '-bad-'],
    modes: ['a', 'c'],
  };
  assert.deepEqual(errorsOf(input), [
    'name FieldValueInvalid',
    'size FieldValueInvalid',
    'ports[0].number FieldValueInvalid',
    'ports[0].protocol FieldValueNotSupported',
    'hosts[1] FieldValueInvalid',
    'modes[1] FieldValueNotSupported',
  ]);
});

test("a type's own rules run besides those of its fields", () => {
  assert.deepEqual(errorsOf({ name: 'forbidden' }), ['name FieldValueForbidden']);
});

test('errors stand below the path that the value has', () => {
  const { list: errors } = validate(port, {}, Path.of('spec', 'ports').index(3));
  assert.deepEqual(
    errors.map(({ field }) => field),
    ['spec.ports[3].number'],
  );
});

test('no more mistakes are named than anybody reads', () => {
  const ports = Array.from({ length: 5000 }, () => ({}));
  const named = errorsOf({ name: 'box', ports });
  assert.equal(named.length, 1000);
  assert.equal(named[999], 'ports[999].number FieldValueRequired');
});
