import assert from 'node:assert/strict';
import { createHmac, generateKeyPairSync } from 'node:crypto';
import { describe, test } from 'node:test';
import * as fc from 'fast-check';
import { fuzzRuns } from '../../../schema/testing/fuzz-runs.ts';
import { parseAccountKeys, type AccountKeys } from './account-keys.ts';
import { openJwt, signJwt } from './jwt.ts';

const pems = {
  ES256: generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey,
  ES384: generateKeyPairSync('ec', { namedCurve: 'P-384' }).privateKey,
  ES512: generateKeyPairSync('ec', { namedCurve: 'P-521' }).privateKey,
  RS256: generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey,
};

function keysOf(name: keyof typeof pems): AccountKeys {
  return parseAccountKeys(pems[name].export({ type: 'pkcs8', format: 'pem' }).toString(), name);
}

const encode = (value: object): string => Buffer.from(JSON.stringify(value)).toString('base64url');
const claims = { sub: 'ünïcode', n: 1 };

for (const name of Object.keys(pems) as (keyof typeof pems)[]) {
  test(`what was signed with ${name} is known again, by that key only`, () => {
    const keys = keysOf(name);
    const token = signJwt(claims, keys.signing);
    assert.deepEqual(openJwt(token, keys.verifying), claims);
    const others = Object.keys(pems).filter((other) => other !== name) as (keyof typeof pems)[];
    assert.equal(
      openJwt(
        token,
        others.flatMap((other) => keysOf(other).verifying),
      ),
      undefined,
    );
  });
}

describe('a token is refused', () => {
  const { signing, verifying } = keysOf('ES256');
  const token = signJwt(claims, signing);
  const [head = '', body = '', signature = ''] = token.split('.');

  test('when any character of it is changed, cut or added', () => {
    for (let i = 0; i < token.length; i++) {
      for (const other of ['A', 'B', 'w', '.', '=', '']) {
        if (token[i] === other) continue;
        const changed = token.slice(0, i) + other + token.slice(i + 1);
        assert.equal(openJwt(changed, verifying), undefined, `${other} at ${i}`);
      }
    }
    for (const changed of [`${token}.`, `${token}=`, ` ${token}`, `${token}.x`, '', '.', '..', `${head}.${body}.`]) {
      assert.equal(openJwt(changed, verifying), undefined, changed);
    }
  });

  test('when it says that it is not signed, or signed in another way', () => {
    const secret = verifying[0]!.publicKey.export({ type: 'spki', format: 'pem' });
    for (const header of [{ alg: 'none' }, { alg: 'HS256' }, { alg: 'RS256' }, { alg: 'es256' }, {}]) {
      const content = `${encode(header)}.${body}`;
      const hmac = createHmac('sha256', secret).update(content).digest('base64url');
      for (const end of ['', signature, hmac]) assert.equal(openJwt(`${content}.${end}`, verifying), undefined);
    }
  });

  test('when it names another key', () => {
    const other = signJwt(claims, { ...signing, id: 'other' });
    assert.equal(openJwt(other, verifying), undefined);
  });

  test('when it is no token at all', () => {
    const property = fc.property(fc.string({ unit: 'binary' }), (text) => openJwt(text, verifying) === undefined);
    fc.assert(property, fuzzRuns(500));
  });
});
