import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { parseAccountKeys } from '../../src/access/authn/accounts/account-keys.ts';
import { signJwt } from '../../src/access/authn/accounts/jwt.ts';
import type { TokenRequest } from '../../src/kinds/authentication/token-request.ts';
import { issueClient, type Credentials } from './guarded-cluster.ts';
import { limit, one, openPeopledCluster, type PeopledCluster } from './peopled-cluster.ts';

let guarded: PeopledCluster;
before(async () => {
  guarded = await openPeopledCluster();
}, limit);
after(() => guarded.close());

describe('credentials that are no good', limit, () => {
  /** Paths that even nobody known may ask for are refused, too: no bad credential counts as none. */
  const paths = ['/version', '/api', `${one}/pods`, `${one}/secrets/used`, '/nonsense'];

  async function refused(who: Credentials, headers: Record<string, string> = {}): Promise<void> {
    for (const path of paths) {
      const answer = await guarded.ask(who, 'GET', path, { headers });
      assert.equal(answer.code, 401, `${path}: ${answer.text}`);
      assert.deepEqual(answer.json(), {
        kind: 'Status',
        apiVersion: 'v1',
        metadata: {},
        status: 'Failure',
        message: 'the credentials that were shown are not good',
        reason: 'Unauthorized',
        code: 401,
      });
    }
  }

  const day = 24 * 60 * 60 * 1000;

  test('a certificate of another authority, whatever that calls itself', async () => {
    await refused({ pair: await issueClient('kubernetes-admin', ['system:masters'], {}) });
    const self = await issueClient('wherry-ca', ['system:masters'], {});
    await refused({ pair: self });
  });

  test('a certificate that is over, or not yet good', async () => {
    const past = { notBefore: Date.now() - 2 * day, notAfter: Date.now() - day };
    await refused({ pair: await guarded.issue('kubernetes-admin', ['system:masters'], past) });
    const future = { notBefore: Date.now() + day, notAfter: Date.now() + 2 * day };
    await refused({ pair: await guarded.issue('kubernetes-admin', ['system:masters'], future) });
  });

  test('the certificate of the server itself, and one without a name', async () => {
    await refused({ pair: guarded.servingPair });
    await refused({ pair: await guarded.issue('', ['system:masters']) });
  });

  test('tokens that nobody has, and other uses of the header', async () => {
    await refused({ token: 'viewer-token2' });
    await refused({ token: 'viewer' });
    for (const value of [
      'Bearer',
      'Bearer  ',
      'viewer-token',
      'Basic dmlld2VyOnZpZXdlcg==',
      'Bearer viewer-token, Bearer editor-token',
      'Bearer viewer-token editor-token',
      'Negotiate x',
    ]) {
      await refused({}, { Authorization: value });
    }
  });

  test('a token of an account that was changed anywhere', async () => {
    const token = guarded.identities['robot']?.token ?? '';
    const [head = '', body = '', signature = ''] = token.split('.');
    const claims = JSON.parse(Buffer.from(body, 'base64url').toString()) as Record<string, unknown>;
    const other = encode({ ...claims, sub: 'system:serviceaccount:two:robot' });
    for (const changed of [
      `${head}.${other}.${signature}`,
      `${encode({ alg: 'none' })}.${body}.`,
      `${encode({ alg: 'none' })}.${body}.${signature}`,
      `${encode({ alg: 'HS256' })}.${body}.${signature}`,
      `${head}.${body}.${signature.slice(0, -1)}${signature.endsWith('A') ? 'B' : 'A'}`,
      `${head}.${body}`,
      `${token}.`,
    ]) {
      await refused({ token: changed });
    }
  });

  test('a token of an account that is over, for somebody else, or signed by somebody else', async () => {
    const token = guarded.identities['robot']?.token ?? '';
    const claims = JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString()) as Record<
      string,
      unknown
    >;
    const { signing } = guarded.accountKeys;
    const now = Math.floor(Date.now() / 1000);
    const good = signJwt({ ...claims, exp: now + 60 }, signing);
    assert.equal((await guarded.ask({ token: good }, 'GET', `${one}/pods`)).code, 200);
    await refused({ token: signJwt({ ...claims, exp: now - 1 }, signing) });
    await refused({ token: signJwt({ ...claims, nbf: now + 3600, exp: now + 7200 }, signing) });
    await refused({ token: signJwt({ ...claims, aud: ['vault'] }, signing) });
    await refused({ token: signJwt({ ...claims, iss: 'https://elsewhere' }, signing) });
    const { key } = await issueClient('x', [], {});
    await refused({ token: signJwt({ ...claims, exp: now + 60 }, parseAccountKeys(key, 'other').signing) });
  });

  test('a token of an account that is gone, even when there is another of its name', async () => {
    const { make } = guarded;
    await make('POST', `${one}/serviceaccounts`, { metadata: { name: 'passing' } });
    const { status } = (await make('POST', `${one}/serviceaccounts/passing/token`, {})) as unknown as TokenRequest;
    assert.equal((await guarded.ask({ token: status?.token }, 'GET', '/api')).code, 200);
    await make('DELETE', `${one}/serviceaccounts/passing`);
    await refused({ token: status?.token });
    await make('POST', `${one}/serviceaccounts`, { metadata: { name: 'passing' } });
    await refused({ token: status?.token });
  });

  test('a bad certificate is made up for by a good token', async () => {
    const pair = await issueClient('kubernetes-admin', ['system:masters'], {});
    const answer = await guarded.ask({ pair, token: 'viewer-token' }, 'GET', `${one}/secrets`);
    assert.equal(answer.code, 403);
    assert.match(answer.text, /viewer/);
  });
});

function encode(value: object): string {
  return Buffer.from(JSON.stringify(value)).toString('base64url');
}

test('no token was ever logged', () => guarded.assertNoTokenLogged());
