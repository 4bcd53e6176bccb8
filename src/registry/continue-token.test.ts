import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isApiError } from '../kinds/meta/api-error.ts';
import { continueToken, parseContinueToken } from './continue-token.ts';

test('a token gives back the position it was made from', () => {
  const position = { revision: 7, after: '/registry/roles/one/ünïcode 🚣' };
  assert.deepEqual(parseContinueToken(continueToken(position)), position);
});

for (const text of [
  '',
  '7',
  'null',
  '{}',
  '[7]',
  '["7","/a"]',
  '[7.5,"/a"]',
  '[0,"/a"]',
  '[-1,"/a"]',
  '[1e300,"/a"]',
]) {
  test(`a token that holds ${text || 'nothing'} is refused with 400`, () => {
    const token = Buffer.from(text).toString('base64url');
    assert.throws(
      () => parseContinueToken(token),
      (error) => isApiError(error, 400),
    );
  });
}
