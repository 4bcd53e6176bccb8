import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import * as fc from 'fast-check';
import { ApiError } from '../../kinds/meta/api-error.ts';
import { parseJson } from './json.ts';

function refusalOf(text: string): string {
  try {
    parseJson(text);
  } catch (error) {
    assert.ok(error instanceof ApiError, String(error));
    assert.equal(error.code, 400);
    assert.equal(error.reason, 'BadRequest');
    return error.message;
  }
  return assert.fail(`accepted ${text.slice(0, 80)}`);
}

function nested(levels: number): string {
  return '{"a":'.repeat(levels) + '1' + '}'.repeat(levels);
}

const jsonWithoutProto = fc.json({ maxDepth: 6 }).filter((text) => !text.includes('__proto__'));

describe('parseJson', () => {
  it('agrees with JSON.parse on JSON without duplicate keys', () => {
    fc.assert(
      fc.property(jsonWithoutProto, fc.nat(4), (compact, indent) => {
        const expected: unknown = JSON.parse(compact);
        assert.deepEqual(parseJson(JSON.stringify(expected, undefined, indent)), expected);
      }),
    );
  });

  it('refuses whatever JSON.parse refuses', () => {
    fc.assert(
      fc.property(jsonWithoutProto, fc.nat(), fc.string({ maxLength: 2 }), (text, at, inserted) => {
        const position = at % (text.length + 1);
        const damaged = text.slice(0, position) + inserted + text.slice(position + 1);
        let broken = false;
        try {
          JSON.parse(damaged);
        } catch {
          broken = true;
        }
        if (broken) assert.match(refusalOf(damaged), /\(line \d+, column \d+/);
      }),
    );
  });

  it('refuses any key that is given twice, however it is written', () => {
    fc.assert(
      fc.property(fc.string(), fc.dictionary(fc.string(), fc.integer()), (key, others) => {
        fc.pre(key !== '__proto__' && !Object.hasOwn(others, '__proto__'));
        const escaped = Array.from({ length: key.length }, (_, at) => hex(key.charCodeAt(at))).join('');
        const members = [
          `${JSON.stringify(key)}:1`,
          ...Object.entries(others).map(([name, value]) => `${JSON.stringify(name)}:${value}`),
        ];
        assert.match(refusalOf(`{"inner":{${members.join(',')},"${escaped}":2}}`), /is given twice/);
      }),
    );
  });

  it('says where a syntax error stands', () => {
    const text = '{\n  "spec": {\n    "containers": [\n      {"name": "a"},\n      {"name": b}\n    ]\n  }\n}';
    assert.equal(
      refusalOf(text),
      'the JSON cannot be read: a value is expected, not "b" (line 5, column 16, in spec.containers[1].name)',
    );
  });

  const mistakes: readonly [text: string, message: RegExp][] = [
    ['', /a value is expected, not the end of the body \(line 1, column 1\)/],
    ['{', /a key in double quotes is expected, not the end/],
    ['{"kind": }', /a value is expected, not "}" \(line 1, column 10, in kind\)/],
    ['{"a":1,}', /a key in double quotes is expected, not "}"/],
    ['[1,]', /a value is expected, not "]"/],
    ["{'a':1}", /a key in double quotes is expected, not "'"/],
    ['{"a" 1}', /":" is expected after the key "a", not "1"/],
    ['{"a":1 "b":2}', /"," or "}" is expected after a field/],
    ['[1 2]', /"," or "]" is expected after an item/],
    ['{"a":1} x', /nothing may follow the value, but "x" does/],
    ['{"a":"b', /this string is not closed \(line 1, column 6, in a\)/],
    ['{"a":"b\nc"}', /raw control character "\\n"/],
    ['{"a":"\\x"}', /a backslash may stand only before/],
    ['{"a":01}', /a value is expected, not "01"/],
    ['{"a":.5}', /a value is expected, not ".5"/],
    ['{"a":NaN}', /a value is expected, not "NaN"/],
    ['{"a":True}', /a value is expected, not "True"/],
    [
      '{"metadata":{"labels":{"a/b":1,"a/b":2}}}',
      /the key "a\/b" is given twice \(line 1, column 32, in metadata.labels\)/,
    ],
    ['{"labels":{"x.y/z":[0,tru]}}', /in labels\[x\.y\/z\]\[1\]\)/],
  ];
  for (const [text, message] of mistakes) {
    it(`refuses ${JSON.stringify(text)} with what is wrong`, () => assert.match(refusalOf(text), message));
  }

  it('takes 256 levels and refuses 257', () => {
    assert.doesNotThrow(() => parseJson(nested(256)));
    assert.match(refusalOf(nested(257)), /nested more than 256 levels deep/);
    assert.match(refusalOf('['.repeat(1_000_000)), /nested more than 256 levels deep/);
  });

  it('refuses numbers that would silently change, and takes large ones that would not', () => {
    for (const text of ['9223372036854775807', '-9007199254740993', '1e400', '90071992547409930.5']) {
      assert.match(refusalOf(`{"a":[${text}]}`), /too large to be kept exactly.*in a\[0\]/);
    }
    for (const text of [
      '9007199254740991',
      '9007199254740992',
      '1e18',
      '1.5E+20',
      '-60230963390886770',
      '0.1',
      '1e-400',
      '-0',
    ]) {
      assert.equal(parseJson(text), Number(text));
    }
  });

  it('refuses __proto__ as a key and leaves prototypes alone', () => {
    assert.match(refusalOf('{"a":{"__proto__":{"polluted":true}}}'), /"__proto__" cannot be used/);
    assert.match(refusalOf('{"\\u005f_proto__":1}'), /"__proto__" cannot be used/);
    assert.equal(({} as Record<string, unknown>)['polluted'], undefined);
    assert.deepEqual(parseJson('{"a":"__proto__"}'), { a: '__proto__' });
  });

  it('takes strings of megabytes, and finds what is wrong behind them', () => {
    const long = JSON.stringify('x"\\'.repeat(500_000));
    assert.deepEqual(Object.keys(parseJson(`{"a":${long},"b":1}`) as object), ['a', 'b']);
    assert.match(refusalOf(`{"a":${long},"a":1}`), /"a" is given twice/);
    assert.match(refusalOf(`{"a":"${'x'.repeat(3_000_000)}`), /this string is not closed/);
  });
});

function hex(code: number): string {
  return `\\u${code.toString(16).padStart(4, '0')}`;
}
