import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  any,
  boolean,
  bytesMap,
  integer,
  intOrString,
  list,
  long,
  longs,
  object,
  one,
  quantities,
  string,
  stringMap,
  strings,
  time,
} from './builders.ts';
import { decode } from './decode.ts';
import type { ObjectSchema } from './schema.ts';

interface Part {
  name?: string;
  mode?: string;
}
const part: ObjectSchema<Part> = object<Part>('Part', 'A part.', {
  name: string('Its name.'),
  mode: string('Its mode.').defaultsTo('plain'),
});

interface Thing {
  text?: string;
  port?: number | string;
  copies?: number;
  summary?: string;
  [name: string]: unknown;
}
const thing: ObjectSchema<Thing> = object<Thing>(
  'Thing',
  'One of everything.',
  {
    text: string('Text.'),
    count: integer('A number.'),
    large: long('A large number.'),
    flag: boolean('A flag.'),
    copies: integer('Kept at zero.').keepZero().defaultsTo(1),
    always: integer('Always there.').always(0),
    limits: quantities('Amounts.'),
    at: time('A moment.'),
    port: intOrString('A port.'),
    secret: bytesMap('Bytes.'),
    raw: any('Anything.'),
    labels: stringMap('Texts by key.'),
    args: strings('Texts.'),
    ids: longs('Numbers.'),
    parts: list(part, 'Parts.'),
    main: one(part, 'The main part.'),
    spare: one(part, 'A part that is always there.').defaultsTo({}),
    summary: string('Made from the others.'),
  },
  {
    complete(value) {
      value.summary ??= `${value.copies} copies`;
    },
  },
);

/** What is left besides what every thing has. */
function decoded(input: object): Record<string, unknown> {
  const { value, mistakes, unknown } = decode(thing, input);
  assert.deepEqual(mistakes, []);
  assert.deepEqual(unknown, []);
  const { copies: _copies, always: _always, spare: _spare, summary: _summary, ...rest } = value;
  return rest;
}

function mistakesOf(input: unknown): string[] {
  return decode(thing, input).mistakes.map(({ field }) => field);
}

test('defaults are filled in, those of inner objects too, and complete runs last', () => {
  assert.deepEqual(decode(thing, {}).value, { copies: 1, always: 0, spare: { mode: 'plain' }, summary: '1 copies' });
  assert.deepEqual(decoded({ main: {} })['main'], { mode: 'plain' });
});

test('two objects never share what a default made', () => {
  assert.notEqual(decode(thing, {}).value['spare'], decode(thing, {}).value['spare']);
});

test('null stands for absent', () => {
  assert.deepEqual(decode(thing, { text: null, copies: null, main: null, parts: null }).value, decode(thing, {}).value);
});

test('zero values count as absent, unless the field keeps them', () => {
  assert.deepEqual(decoded({ text: '', count: 0, flag: false, labels: {}, args: [], parts: [], port: 0 }), {});
  assert.equal(decode(thing, { copies: 0 }).value.copies, 0);
  assert.deepEqual(decoded({ main: { mode: '' } })['main'], { mode: 'plain' });
});

test('fields come out in the order of the schema', () => {
  const { value } = decode(thing, { args: ['a'], text: 'x', copies: 2 });
  assert.deepEqual(Object.keys(value), ['text', 'copies', 'always', 'args', 'spare', 'summary']);
});

test('unknown fields are dropped and named, wherever they stand', () => {
  const input = { text: 'x', bogus: 1, main: { stray: true }, parts: [{ name: 'a' }, { other: null }] };
  const { value, unknown, mistakes } = decode(thing, input);
  assert.deepEqual(unknown.toSorted(), ['bogus', 'main.stray', 'parts[1].other']);
  assert.deepEqual(mistakes, []);
  assert.deepEqual(value['parts'], [{ name: 'a', mode: 'plain' }, { mode: 'plain' }]);
});

test('the input is left as it is', () => {
  const input = Object.freeze({ parts: Object.freeze([Object.freeze({ name: 'a' })]) });
  assert.deepEqual(decoded(input)['parts'], [{ name: 'a', mode: 'plain' }]);
});

test('values of the wrong type are mistakes, each with its place', () => {
  const input = {
    text: 5,
    count: 'five',
    large: 1.5,
    flag: 'yes',
    limits: { cpu: 'lots', memory: {} },
    at: 'yesterday',
    port: true,
    secret: { key: '***' },
    labels: { a: 1 },
    args: 'text',
    ids: ['one'],
    parts: [{ name: 1 }, 'text'],
    main: ['text'],
  };
  assert.deepEqual(mistakesOf(input), [
    'text',
    'count',
    'large',
    'flag',
    'limits[cpu]',
    'limits[memory]',
    'at',
    'port',
    'secret[key]',
    'labels[a]',
    'args',
    'ids[0]',
    'parts[0].name',
    'parts[1]',
    'main',
  ]);
});

test('what is no object at all is a mistake that says what came', () => {
  const words = { null: null, '"text"': 'text', 'a list': [], '5': 5 };
  for (const [word, input] of Object.entries(words)) {
    assert.deepEqual(decode(thing, input).mistakes, [{ field: '', message: `expected an object, got ${word}` }]);
  }
});

test('integers stay within their bits', () => {
  assert.deepEqual(decoded({ count: 2 ** 31 - 1, large: 2 ** 40 }), { count: 2 ** 31 - 1, large: 2 ** 40 });
  assert.deepEqual(mistakesOf({ count: 2 ** 31 }), ['count']);
  assert.deepEqual(mistakesOf({ large: 2 ** 53 }), ['large']);
  assert.deepEqual(mistakesOf({ port: 1.5 }), ['port']);
});

test('amounts become canonical, and may come as numbers', () => {
  const limits = { cpu: '0.5', memory: '1024Mi', pods: 3, half: 0.5 };
  assert.deepEqual(decoded({ limits })['limits'], { cpu: '500m', memory: '1Gi', pods: '3', half: '500m' });
});

test('times become UTC with whole seconds', () => {
  const expected = {
    '2030-01-31T12:00:00Z': '2030-01-31T12:00:00Z',
    '2030-01-31T12:00:00.987Z': '2030-01-31T12:00:00Z',
    '2030-01-31T12:00:00+02:00': '2030-01-31T10:00:00Z',
    '2030-01-31T23:30:00-01:30': '2030-02-01T01:00:00Z',
    '2028-02-29T00:00:00Z': '2028-02-29T00:00:00Z',
  };
  for (const [text, moment] of Object.entries(expected)) assert.equal(decoded({ at: text })['at'], moment, text);
});

test('the moment that stands for none counts as absent', () => {
  for (const text of ['0001-01-01T00:00:00Z', '0001-01-01T01:00:00+01:00']) {
    assert.equal('at' in decoded({ at: text }), false, text);
  }
});

test('what is no moment is a mistake', () => {
  const texts = [
    '2030-01-31t12:00:00Z',
    '2030-01-31T12:00:00z',
    '',
    '2030-01-31',
    '2030-01-31 12:00:00Z',
    '2030-01-31T12:00:00',
    '2030-02-30T00:00:00Z',
    '2030-13-01T00:00:00Z',
    '2030-01-01T24:00:00Z',
    '2030-01-01T00:00:60Z',
    '2030-01-01T00:00:00+24:00',
    '9999-12-31T23:59:59-01:00',
    '0000-01-01T00:00:00+01:00',
  ];
  for (const at of texts) assert.deepEqual(mistakesOf({ at }), ['at'], at);
  assert.deepEqual(mistakesOf({ at: 1_900_000_000 }), ['at']);
});

test('integers and strings stay what they are where both are allowed', () => {
  assert.equal(decoded({ port: 80 })['port'], 80);
  assert.equal(decoded({ port: '80' })['port'], '80');
  assert.equal(decoded({ port: 'http' })['port'], 'http');
});

test('base64 comes out in one spelling', () => {
  const secret = { plain: 'YWJj', padded: 'YQ==', broken: 'YWJj\r\nYWJj\n', stray: 'YR==', empty: '' };
  const canonical = { plain: 'YWJj', padded: 'YQ==', broken: 'YWJjYWJj', stray: 'YQ==', empty: '' };
  assert.deepEqual(decoded({ secret })['secret'], canonical);
  for (const key of ['YWJ', 'Y===', '====', 'YQ=a', 'Y Q=', 'Y-_=']) {
    assert.deepEqual(mistakesOf({ secret: { key } }), ['secret[key]'], key);
  }
});

test('null items and values stand for objects, amounts and bytes, not for text and numbers', () => {
  assert.deepEqual(decoded({ limits: { cpu: null }, secret: { key: null }, parts: [null] }), {
    limits: { cpu: '0' },
    secret: { key: '' },
    parts: [{ mode: 'plain' }],
  });
  assert.deepEqual(mistakesOf({ labels: { a: null }, args: ['x', null], ids: [null] }), [
    'labels[a]',
    'args[1]',
    'ids[0]',
  ]);
});

test('digits in quotes are an integer', () => {
  for (const [text, value] of Object.entries({ '5': 5, '-5': -5, '+5': 5, '5.0': 5, '5.': 5, '5e1': 50, '05': 5 })) {
    assert.equal(decoded({ count: text })['count'], value, text);
  }
  assert.deepEqual(decoded({ ids: ['1', '-0', '2'] })['ids'], [1, 0, 2]);
  for (const count of ['', ' 5', '5 ', 'x', '0x5', '1.5', '5e-1', '.5', 'NaN', 'Infinity', '99999999999', '1e400']) {
    assert.deepEqual(mistakesOf({ count }), ['count'], count);
  }
});

test('an empty list will do for an object, and an empty object for a list', () => {
  assert.deepEqual(decoded({ main: [], parts: [[]], args: {} }), {
    main: { mode: 'plain' },
    parts: [{ mode: 'plain' }],
  });
  assert.deepEqual(mistakesOf({ main: ['x'], parts: { name: 'x' }, labels: [] }), ['labels', 'parts', 'main']);
});

test('any JSON is kept as it came', () => {
  const raw = { a: [1, { b: null }], c: '' };
  assert.deepEqual(decoded({ raw })['raw'], raw);
});

test('__proto__ is a key like any other in maps, and unknown in objects', () => {
  const input = JSON.parse('{"labels":{"__proto__":"x","constructor":"y"},"__proto__":{"text":"inherited"}}') as object;
  const { value, unknown } = decode(thing, input);
  assert.equal(JSON.stringify(value['labels']), '{"__proto__":"x","constructor":"y"}');
  assert.deepEqual(unknown, ['__proto__']);
  assert.equal(value.text, undefined);
});

test('decoding what was decoded changes nothing', () => {
  const { value } = decode(thing, { text: 'x', limits: { cpu: '0.1' }, parts: [{}], secret: { a: 'YR==' }, copies: 0 });
  assert.deepEqual(decode(thing, JSON.parse(JSON.stringify(value))).value, value);
});

test('of more mistakes and unknown fields than anybody reads a thousand are told', () => {
  const numbers = Object.fromEntries(Array.from({ length: 5000 }, (_, i) => [`n${i}`, i]));
  const { mistakes, unknown } = decode(thing, { labels: numbers, ...numbers });
  assert.deepEqual([mistakes.length, unknown.length], [1000, 1000]);
});
