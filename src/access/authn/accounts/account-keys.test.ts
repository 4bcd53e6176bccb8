import assert from 'node:assert/strict';
import { generateKeyPairSync } from 'node:crypto';
import { mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { ensureAccountKeys, parseAccountKeys, readAccountKeys } from './account-keys.ts';

const ec = generateKeyPairSync('ec', { namedCurve: 'P-256' });
const rsa = generateKeyPairSync('rsa', { modulusLength: 2048 });
const pem = (key: typeof ec.privateKey): string =>
  key.export({ type: key.type === 'private' ? 'pkcs8' : 'spki', format: 'pem' }).toString();

test('a key is made once, for its owner alone, and found again', async (context) => {
  const directory = await mkdtemp(join(tmpdir(), 'wherry-keys-'));
  context.after(() => rm(directory, { recursive: true, force: true }));
  const place = join(directory, 'pki');
  const first = await ensureAccountKeys(place);
  const file = join(place, 'service-accounts.key');
  assert.equal((await stat(file)).mode & 0o777, 0o600);
  assert.equal((await ensureAccountKeys(place)).signing.id, first.signing.id);
  await writeFile(file, 'not a key');
  await assert.rejects(ensureAccountKeys(place), /service-accounts\.key has no private key/);
  assert.equal(await readFile(file, 'utf8'), 'not a key');
});

test('without a directory every key is another one', async () => {
  const [one, other] = [await ensureAccountKeys(undefined), await ensureAccountKeys(undefined)];
  assert.notEqual(one.signing.id, other.signing.id);
});

test('the first private key of a file signs, and every key in it checks', () => {
  const keys = parseAccountKeys(`${pem(rsa.publicKey)}${pem(ec.privateKey)}${pem(rsa.privateKey)}`, 'keys.pem');
  assert.equal(keys.signing.algorithm, 'ES256');
  assert.deepEqual(
    keys.verifying.map(({ algorithm }) => algorithm),
    ['RS256', 'ES256', 'RS256'],
  );
});

test('keys in the older forms are read', () => {
  const sec1 = ec.privateKey.export({ type: 'sec1', format: 'pem' }).toString();
  const parameters = '-----BEGIN EC PARAMETERS-----\nBggqhkjOPQMBBw==\n-----END EC PARAMETERS-----\n';
  assert.equal(parseAccountKeys(parameters + sec1, 'k').signing.algorithm, 'ES256');
  const pkcs1 = rsa.privateKey.export({ type: 'pkcs1', format: 'pem' }).toString();
  assert.equal(parseAccountKeys(pkcs1, 'k').signing.algorithm, 'RS256');
});

test('what cannot be used is refused with the name of the file, and without what is in it', async () => {
  const weak = generateKeyPairSync('rsa', { modulusLength: 1024 }).privateKey;
  const other = generateKeyPairSync('ed25519').privateKey;
  const damaged = '-----BEGIN PRIVATE KEY-----\nAAAA\n-----END PRIVATE KEY-----\n';
  for (const [content, why] of [
    ['', /has no private key/],
    [pem(ec.publicKey), /has no private key/],
    [damaged, /has a block "PRIVATE KEY" that cannot be used/],
    [pem(weak), /at least 2048 bits/],
    [pem(other), /use an elliptic-curve key/],
  ] as const) {
    assert.throws(
      () => parseAccountKeys(content, 'keys.pem'),
      (error: Error) => {
        assert.match(error.message, /keys\.pem/);
        assert.match(error.message, why);
        assert.doesNotMatch(error.message, /BEGIN|MI[A-Z]/);
        return true;
      },
    );
  }
  await assert.rejects(readAccountKeys('no-such.pem'), /key file no-such\.pem cannot be read/);
});
