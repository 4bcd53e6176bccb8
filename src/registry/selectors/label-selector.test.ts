import assert from 'node:assert/strict';
import { test } from 'node:test';
import * as fc from 'fast-check';
import { ApiError } from '../../kinds/meta/api-error.ts';
import { LabelSelector, parseLabelSelector } from './label-selector.ts';

function matches(text: string, labels: Record<string, string> | undefined): boolean {
  return parseLabelSelector(text).matches(labels);
}

test('each operator matches as it should', () => {
  const labels = { app: 'web', tier: 'fe', empty: '', size: '12' };
  const expected: Record<string, boolean> = {
    'app=web': true,
    'app==web': true,
    'app=db': false,
    'app!=db': true,
    'app!=web': false,
    'none!=web': true,
    'none=web': false,
    'tier in (fe,be)': true,
    'tier in (be)': false,
    'none in (x)': false,
    'tier notin (be)': true,
    'tier notin (fe,be)': false,
    'none notin (x)': true,
    app: true,
    none: false,
    '!none': true,
    '!app': false,
    'empty=': true,
    'app=': false,
    'empty in (,x)': true,
    'none=': false,
    'size>11': true,
    'size>12': false,
    'size<12.5': true,
    'size<12': false,
    'app>1': false,
    'none<1': false,
  };
  for (const [text, expectation] of Object.entries(expected)) assert.equal(matches(text, labels), expectation, text);
});

test('all requirements must hold', () => {
  assert.equal(matches('app=web,tier notin (be),!old', { app: 'web', tier: 'fe' }), true);
  assert.equal(matches('app=web,tier notin (be),!old', { app: 'web', tier: 'fe', old: '1' }), false);
});

test('an object without labels matches only what asks for no label', () => {
  assert.equal(matches('', undefined), true);
  assert.equal(matches('!app', undefined), true);
  assert.equal(matches('app!=x', undefined), true);
  assert.equal(matches('app', undefined), false);
});

test('names that every JavaScript object inherits are no labels', () => {
  for (const key of ['constructor', 'toString', 'hasOwnProperty']) {
    assert.equal(matches(key, {}), false);
    assert.equal(matches(`!${key}`, {}), true);
    assert.equal(matches(key, { [key]: '' }), true);
  }
});

test('nothing and blanks select everything', () => {
  for (const text of ['', '  ', '\t\n']) {
    assert.equal(parseLabelSelector(text), LabelSelector.everything);
    assert.equal(parseLabelSelector(text).isEverything, true);
  }
  assert.equal(parseLabelSelector('a').isEverything, false);
});

test('blanks between words and symbols do not matter', () => {
  assert.equal(parseLabelSelector(' a = b , c   in( x , y ) ,! d ').toString(), 'a=b,c in (x,y),!d');
});

test('"in" and "notin" can be values, and nothing between commas is the empty value', () => {
  assert.equal(matches('op in (in,notin)', { op: 'notin' }), true);
  assert.equal(matches('a in ()', { a: '' }), true);
  assert.equal(matches('a notin ()', { a: '' }), false);
  assert.equal(matches('a in (x,)', { a: '' }), true);
});

test('what cannot be read is refused with 400, saying where', () => {
  const positions: Record<string, number> = {
    'a=b=c': 4,
    'a in b': 6,
    'a in (b': 8,
    'a in (b c)': 9,
    'a in': 5,
    ',': 1,
    '!': 2,
    '!!a': 2,
    '!a=b': 3,
    'a,,b': 3,
    '=x': 1,
    'bad key=v': 5,
    'a=b,': 5,
    'a)': 2,
    'a > b': 5,
    'a > -1': 5,
    'a>': 3,
    '-a': 1,
    'a/b/c=d': 1,
    '/b': 1,
    'a=-b': 3,
    'a=b/c': 3,
    'a in (x,$)': 9,
    __proto__x: 1,
  };
  positions[`${'k'.repeat(64)}=v`] = 1;
  positions[`k=${'v'.repeat(64)}`] = 3;
  for (const [text, position] of Object.entries(positions)) {
    assert.throws(
      () => parseLabelSelector(text),
      (error) => {
        assert.ok(error instanceof ApiError);
        assert.equal(error.code, 400);
        assert.ok(error.message.includes(`character ${position}:`), error.message);
        return true;
      },
    );
  }
});

test('exact gives what an index can look up, and contradictions leave no value', () => {
  const { exact } = parseLabelSelector('a=x,b in (y,z),c!=q,d,e>1,b in (z,w),f=1,f=2');
  assert.deepEqual(
    [...exact],
    [
      ['a', ['x']],
      ['b', ['z']],
      ['f', []],
    ],
  );
});

test('the canonical spelling is ordered by key and reads as the same selector', () => {
  const text = 'z,a in (y,x,x),!m,b!=1,c notin (2,1),d>3,e<4,f=';
  const canonical = 'a in (x,y),b!=1,c notin (1,2),d>3,e<4,f=,!m,z';
  assert.equal(parseLabelSelector(text).toString(), canonical);
  assert.equal(parseLabelSelector(canonical).toString(), canonical);
});

test('any text is either read or refused with 400', () => {
  const piece = fc.constantFrom(
    'a',
    'in',
    'notin',
    '=',
    '==',
    '!=',
    '!',
    '>',
    '<',
    ',',
    '(',
    ')',
    ' ',
    '1',
    'x/y',
    '\\',
    '"',
  );
  fc.assert(
    fc.property(
      fc.oneof(
        fc.string(),
        fc.array(piece).map((pieces) => pieces.join('')),
      ),
      (text) => {
        try {
          const selector = parseLabelSelector(text);
          assert.equal(parseLabelSelector(selector.toString()).toString(), selector.toString());
        } catch (error) {
          assert.ok(error instanceof ApiError && error.code === 400, String(error));
        }
      },
    ),
    { numRuns: 1000 },
  );
});
