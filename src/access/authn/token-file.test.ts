import assert from 'node:assert/strict';
import type { IncomingMessage } from 'node:http';
import { describe, test } from 'node:test';
import { bearerTokenAuthenticator } from './bearer-token.ts';
import { parseTokens, readTokenFile, tokenAuthenticator } from './token-file.ts';

const content = [
  'secret-1,alice,1001',
  '',
  'secret-2,"bob, the builder",1002,"builders,""quoted"""',
  'secret-3 , carol, 1003, single',
].join('\r\n');

function withHeader(authorization?: string): IncomingMessage {
  return { headers: { authorization } } as IncomingMessage;
}

describe('a token file', () => {
  test('names users and their groups', () => {
    const users = parseTokens(content, 'tokens.csv');
    assert.deepEqual(Object.fromEntries(users), {
      'secret-1': { name: 'alice', groups: ['system:authenticated'], uid: '1001' },
      'secret-2': { name: 'bob, the builder', groups: ['builders', '"quoted"', 'system:authenticated'], uid: '1002' },
      'secret-3': { name: 'carol', groups: ['single', 'system:authenticated'], uid: '1003' },
    });
  });

  test('that is wrong is refused with the line, and without the token', () => {
    for (const [line, why] of [
      ['hidden,alice', /three columns/],
      ['hidden,,1', /may not be empty/],
      [',alice,1', /may not be empty/],
      ['hidden,"alice,1', /quotation mark/],
      ['hidden,al"ice,1', /quotation mark/],
      ['hid den,alice,1', /blanks/],
      ['secret-1,dave,4', /stands on a line before/],
    ] as const) {
      assert.throws(
        () => parseTokens(`secret-1,alice,1\n${line}\n`, 'tokens.csv'),
        (error: Error) => {
          assert.match(error.message, /^tokens\.csv, line 2: /);
          assert.match(error.message, why);
          assert.doesNotMatch(error.message, /hidden|secret/);
          return true;
        },
      );
    }
  });

  test('that is not there is refused with its name', async () => {
    await assert.rejects(readTokenFile('no-such-file.csv'), /token file no-such-file\.csv cannot be read/);
  });
});

describe('a bearer token', () => {
  const bearer = bearerTokenAuthenticator(tokenAuthenticator(parseTokens(content, 'tokens.csv')));

  test('that stands in the file tells who sends the request', async () => {
    assert.deepEqual(await bearer.authenticate(withHeader('Bearer secret-1')), {
      name: 'alice',
      groups: ['system:authenticated'],
      uid: '1001',
    });
    const carol = await bearer.authenticate(withHeader('bearer  secret-3 '));
    assert.equal(typeof carol === 'object' && carol.name, 'carol');
  });

  test('that does not is refused, and so is every other use of the header', async () => {
    for (const header of ['Bearer', 'Bearer ', 'Bearer secret', 'Basic secret-1', 'Bearer secret-1 x', 'secret-1']) {
      assert.equal(await bearer.authenticate(withHeader(header)), 'refused', header);
    }
  });

  test('that is not there tells nothing', async () => {
    for (const header of [undefined, '', '  ']) assert.equal(await bearer.authenticate(withHeader(header)), 'absent');
  });
});
