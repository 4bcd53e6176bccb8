import assert from 'node:assert/strict';
import { test } from 'node:test';
import * as fc from 'fast-check';
import { canonicalQuantity, formatQuantity, nanosOf, parseQuantity } from './quantity.ts';

function assertCanonical(expected: Readonly<Record<string, string>>): void {
  for (const [text, canonical] of Object.entries(expected)) assert.equal(canonicalQuantity(text), canonical, text);
}

test('decimal amounts take the largest suffix that leaves an integer', () => {
  assertCanonical({
    '0.5': '500m',
    '1000m': '1',
    '1500m': '1500m',
    '1': '1',
    '1.0': '1',
    '1000': '1k',
    '1024': '1024',
    '100000': '100k',
    '1500000': '1500k',
    '12000000': '12M',
    '1000M': '1G',
    '0.001M': '1k',
    '1E': '1E',
    '.5': '500m',
    '5.': '5',
    '007': '7',
    '+5': '5',
  });
});

test('binary amounts keep binary suffixes from one Ki on', () => {
  assertCanonical({
    '1024Mi': '1Gi',
    '2048Mi': '2Gi',
    '1.5Gi': '1536Mi',
    '0.5Pi': '512Ti',
    '1Ki': '1Ki',
    '1500Mi': '1500Mi',
    '1025Ki': '1025Ki',
    '1Ei': '1Ei',
  });
});

test('binary amounts below one Ki, or with a fraction left, are written in decimals', () => {
  assertCanonical({ '0.5Ki': '512', '0.0001Ki': '103m', '1.0001Ki': '1024103m', '0.001Mi': '1048576m' });
});

test('amounts with an exponent keep one, as a multiple of three', () => {
  assertCanonical({
    '1e3': '1e3',
    '1E3': '1e3',
    '12e6': '12e6',
    '1e5': '100e3',
    '15e5': '1500e3',
    '1e-3': '1e-3',
    '1e0': '1',
  });
});

test('zero is zero, whatever its suffix', () => {
  for (const text of ['0', '0.0', '-0', '0Gi', '0m', '0e5', '+0']) assert.equal(canonicalQuantity(text), '0', text);
});

test('spaces around an amount are let be, those inside it are not', () => {
  assertCanonical({ ' 1': '1', '1024Mi  ': '1Gi', ' 0.5 ': '500m' });
});

test('signs stay', () => {
  assertCanonical({ '-1': '-1', '-0.5': '-500m', '-1024Mi': '-1Gi', '-1e3': '-1e3' });
});

test('what is finer than a thousandth is rounded away from zero', () => {
  assertCanonical({ '0.0001': '1m', '1.00005': '1001m', '1u': '1m', '1n': '1m', '-0.0001': '-1m', '1500u': '2m' });
});

test('amounts beyond 63 bits are capped', () => {
  const largest = '9223372036854775807';
  assertCanonical({ [largest]: largest, '10E': largest, '9223372036854775808': largest, '-10E': `-${largest}` });
  assert.equal(canonicalQuantity('1e999'), largest);
});

test('what is no amount gives nothing', () => {
  const texts = [
    '',
    ' ',
    'lots',
    '1 Gi',
    '1.2.3',
    '--1',
    '1gi',
    '1KI',
    'Gi',
    '.',
    '1e',
    '1Gi5',
    '1,5',
    '0x10',
    '1K',
    '1\n',
    'NaN',
  ];
  for (const text of texts) assert.equal(canonicalQuantity(text), undefined, JSON.stringify(text));
  assert.equal(canonicalQuantity('9'.repeat(1_000_000)), undefined);
});

const amount = fc
  .tuple(
    fc.constantFrom('', '-', '+'),
    fc.nat(1_000_000_000),
    fc.option(fc.nat(999_999)),
    fc.constantFrom('', 'm', 'k', 'M', 'G', 'Ki', 'Mi', 'Gi', 'e3', 'e-2'),
  )
  .map(([sign, whole, fraction, suffix]) => `${sign}${whole}${fraction === null ? '' : `.${fraction}`}${suffix}`);

test('a canonical text is its own canonical text, and says the same to a thousandth', () => {
  fc.assert(
    fc.property(amount, (text) => {
      const canonical = canonicalQuantity(text);
      assert.ok(canonical !== undefined, text);
      assert.equal(canonicalQuantity(canonical), canonical);
      const difference = nanosOf(canonical) - nanosOf(text);
      assert.ok(difference < 1_000_000n && difference > -1_000_000n);
    }),
  );
});

test('values are exact to a billionth', () => {
  assert.deepEqual(parseQuantity('1.000000001'), { nanos: 1_000_000_001n, family: 'decimal' });
  assert.equal(formatQuantity({ nanos: 1_000_000_001n, family: 'decimal' }), '1000000001n');
});
