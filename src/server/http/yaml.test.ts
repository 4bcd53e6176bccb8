import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import * as fc from 'fast-check';
import { ApiError } from '../../kinds/meta/api-error.ts';
import { formatYaml, maxYamlMarks, parseYaml } from './yaml.ts';

async function refusalOf(text: string): Promise<string> {
  const error = await parseYaml(text).then(
    (value) => assert.fail(`accepted as ${JSON.stringify(value)}`),
    (reason: unknown) => reason,
  );
  assert.ok(error instanceof ApiError, String(error));
  assert.equal(error.code, 400);
  return error.message;
}

describe('parseYaml', () => {
  it('reads an object as the same JSON would be', async () => {
    const text =
      '---\n# a comment\nkind: Pod\nmetadata: {name: flow, labels: {x: "1"}}\nspec:\n  containers:\n  - name: c\n    args: [a, "2"]\n    ports:\n    - containerPort: 80\n';
    assert.deepEqual(await parseYaml(text), {
      kind: 'Pod',
      metadata: { name: 'flow', labels: { x: '1' } },
      spec: { containers: [{ name: 'c', args: ['a', '2'], ports: [{ containerPort: 80 }] }] },
    });
  });

  it('reads JSON', async () => {
    assert.deepEqual(await parseYaml('{"kind": "ConfigMap", "data": {"a": "b\\n"}}'), {
      kind: 'ConfigMap',
      data: { a: 'b\n' },
    });
  });

  it('reads words and numbers as the reference does', async () => {
    const text =
      'a: yes\nb: "yes"\nc: 0644\nd: 22:22\ne: ~\nf:\ng: 1e3\nh: 2001-12-14\ni: 2001-12-14T21:59:43Z\nj: 0x10\nk: !!str 5';
    assert.deepEqual(await parseYaml(text), {
      a: true,
      b: 'yes',
      c: 0o644,
      d: '22:22',
      e: null,
      f: null,
      g: 1000,
      h: '2001-12-14',
      i: '2001-12-14T21:59:43Z',
      j: 16,
      k: '5',
    });
  });

  it('makes keys strings', async () => {
    assert.deepEqual(await parseYaml('1: a\ntrue: b\n1.50: c\n~: d\ny: e\n"f": g'), {
      '1': 'a',
      true: 'b',
      '1.50': 'c',
      '~': 'd',
      y: 'e',
      f: 'g',
    });
  });

  it('gives null for nothing', async () => {
    assert.equal(await parseYaml('# nothing\n'), null);
  });

  it('follows anchors, also when they are given again, and merges with <<', async () => {
    const text =
      'base: &b {x: 1, y: 2}\nplain: *b\nmerged:\n  <<: *b\n  y: 3\nagain: &b [9]\nlater: *b\nlist:\n  <<: [{x: 1}, {x: 2, z: 3}]\n"<<": text';
    assert.deepEqual(await parseYaml(text), {
      base: { x: 1, y: 2 },
      plain: { x: 1, y: 2 },
      merged: { y: 3, x: 1 },
      again: [9],
      later: [9],
      list: { x: 1, z: 3 },
      '<<': 'text',
    });
  });

  const mistakes: readonly [text: string, message: RegExp][] = [
    ['a: 1\nkind: [unclosed\n', /\(line [23]\)/],
    ['a: 1\nb: 2\na: 3\n', /the key "a" is given twice \(line 3\)/],
    ['1: x\n"1": y\n', /the key "1" is given twice \(line 2\)/],
    ['a: 1\n---\nb: 2\n', /another begins \(line [23]\)/],
    ['a:\n  ? [x]\n  : 1\n', /lists and maps cannot be keys \(line 2\)/],
    ['a: .inf', /infinity and NaN/],
    ['a: 1\nb: 9223372036854775807', /too large to be kept exactly.*\(line 2\)/],
    ['a: 1\nb: *none', /none.*\(line 2\)/],
    ['a: &a\n  b: *a\n', /nested more than 256 levels|repeat too much/],
    ['a: !thing x', /thing.*\(line 1\)/],
    ['a: !!binary aGk=', /binary/],
    ['__proto__: {polluted: true}', /"__proto__" cannot be used/],
    ['<<: [1]', /only maps can be merged/],
    ['a: "\\q"', /\(line 1\)/],
    ['a:\n\t- b', /\(line 2\)/],
    ['['.repeat(300) + ']'.repeat(300), /nested more than 256 levels deep/],
    ['['.repeat(20_000), /nested more than 256 levels deep/],
    ['- '.repeat(40_000), /nested more than 256 levels deep/],
    ['{a: '.repeat(15_000), /nested more than 256 levels deep/],
    ['? '.repeat(40_000), /nested more than 256 levels deep/],
    [`${'- '.repeat(40_000)}a\nb`, /nested more than 256 levels deep/],
    [
      Array.from({ length: 2000 }, (_, level) => `${' '.repeat(level)}a:`).join('\n'),
      /nested more than 256 levels deep/,
    ],
    ['- a\n'.repeat(maxYamlMarks), /too large to be read; send it as JSON/],
  ];
  for (const [text, message] of mistakes) {
    it(`refuses ${JSON.stringify(text.slice(0, 40))} with what is wrong`, async () =>
      assert.match(await refusalOf(text), message));
  }

  it('takes 250 levels of either style', async () => {
    for (const text of [
      `${'['.repeat(250)}${']'.repeat(250)}`,
      `${'- '.repeat(250)}a`,
      `${'{a: '.repeat(250)}1${'}'.repeat(250)}`,
    ]) {
      assert.equal(typeof (await parseYaml(text)), 'object');
    }
  });

  it('refuses a document whose aliases multiply', async () => {
    const levels = Array.from(
      { length: 10 },
      (_, level) =>
        `l${level}: &l${level} [${Array(10)
          .fill(level === 0 ? 'x' : `*l${level - 1}`)
          .join(', ')}]`,
    );
    assert.match(await refusalOf(levels.join('\n')), /aliases repeat too much/);
  });
});

const text = fc.oneof(
  fc.string({ unit: 'binary' }),
  fc.string({
    unit: fc.constantFrom(
      'a',
      ' ',
      '\n',
      '\t',
      ':',
      '#',
      '-',
      '"',
      "'",
      '\r',
      '0',
      '.',
      '\u0085',
      '\u2028',
      '\ufeff',
      '\u007f',
      '😀',
    ),
  }),
  fc.constantFrom(
    '',
    'yes',
    'No',
    '~',
    'null',
    '1',
    '0x1',
    '1:30',
    '2001-01-01',
    '.inf',
    '---',
    '...',
    '- a',
    '? a',
    'a: b',
    'a #b',
    '<<',
    '*a',
    '&a',
    '!a',
    '%a',
    '@a',
    '`a',
    '|',
    '>',
    '=',
    'a\n',
    'a\n\n',
    '\n',
    'a\n b\n',
    ' a\nb',
    'a\n  \nb',
  ),
);
const { value } = fc.letrec<{ value: unknown }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 4 },
    fc.oneof(
      text,
      fc.integer(),
      fc.double({ noDefaultInfinity: true, noNaN: true }).filter((n) => Math.abs(n) < 2 ** 53),
      fc.boolean(),
      fc.constant(null),
    ),
    fc.array(tie('value')),
    fc
      .dictionary(text, tie('value'), { noNullPrototype: true })
      .filter((object) => !Object.hasOwn(object, '__proto__')),
  ),
}));

describe('formatYaml', () => {
  it('writes what parseYaml reads back as the same value', async () => {
    await fc.assert(
      fc.asyncProperty(value, async (original) => {
        const expected: unknown = JSON.parse(JSON.stringify(original));
        assert.deepEqual(await parseYaml(await formatYaml(expected)), expected);
      }),
      { numRuns: 500 },
    );
  });

  it('writes block style that people can read', async () => {
    const object = {
      kind: 'ConfigMap',
      metadata: { name: 'one', labels: {}, uid: undefined, created: '2016-01-01T00:00:00Z' },
      data: { num: '12', flag: 'true', multi: 'a\n  b\n', 'a.b/c': 'x y' },
      items: [{ a: 1, b: [[1, 2], []] }, 'text'],
    };
    const expected = `kind: ConfigMap
metadata:
  name: one
  labels: {}
  created: "2016-01-01T00:00:00Z"
data:
  num: "12"
  flag: "true"
  multi: |
    a
      b
  a.b/c: x y
items:
- a: 1
  b:
  - - 1
    - 2
  - []
- text
`;
    assert.equal(await formatYaml(object), expected);
  });

  it('writes keys longer than a plain key may be', async () => {
    const object = { ['k'.repeat(2000)]: [{ a: 1 }], b: { ['m'.repeat(1500)]: { c: 'd' } } };
    assert.deepEqual(await parseYaml(await formatYaml(object)), object);
  });
});
