import assert from 'node:assert/strict';
import { X509Certificate } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setImmediate as turn } from 'node:timers/promises';
import { describe, test, type TestContext } from 'node:test';
import { silentLogger, type Logger } from '../../base/logger.ts';
import { SteppedClock } from '../../base/stepped-clock.ts';
import { CertificateKeeper } from './certificate-keeper.ts';
import { createKeyPair, type KeyPair } from './key-pair.ts';
import type { KeptPair } from './kept-pair.ts';
import { followPairFiles, keepOwnNodePair } from './node-pair.ts';
import { memoryPairStore } from './pair-store.ts';

const day = 24 * 60 * 60 * 1000;

function renewals(pair: KeptPair): KeyPair[] {
  const heard: KeyPair[] = [];
  pair.onRenewal((renewed) => heard.push(renewed));
  return heard;
}

const authorityOf = (keeper: CertificateKeeper): X509Certificate => new X509Certificate(keeper.current.authority);

test('the pair of a node is renewed with those of its cluster', async () => {
  const clock = new SteppedClock();
  const store = memoryPairStore();
  const keeper = await CertificateKeeper.open({ store, names: ['localhost'], clock, logger: silentLogger });
  const pair = await keeper.keepNodePair('worker-1', ['10.0.0.7']);
  const first = pair.current;
  const heard = renewals(pair);
  clock.step(270 * day);
  await keeper.renew();
  assert.equal(heard.length, 0);
  clock.step(10 * day);
  await keeper.renew();
  await keeper.renew();
  assert.equal(heard.length, 1);
  assert.deepEqual(pair.current, heard[0]);
  assert.notEqual(heard[0]?.certificate, first.certificate);
  assert.deepEqual(await keeper.nodePair('worker-1', ['10.0.0.7']), pair.current);
  keeper.close();
});

test('whoever hears of the new pair of a node finds the authority that has signed it', async () => {
  const clock = new SteppedClock();
  const keeper = await CertificateKeeper.open({ store: memoryPairStore(), names: [], clock, logger: silentLogger });
  const pair = await keeper.keepNodePair('worker-1', ['10.0.0.7']);
  const before = keeper.current.authority;
  const found: boolean[] = [];
  pair.onRenewal(({ certificate }) => {
    found.push(new X509Certificate(certificate).verify(authorityOf(keeper).publicKey));
  });
  clock.step(3290 * day);
  // The one that is under way since the first of these days may have read the clock then.
  await keeper.renew();
  await keeper.renew();
  assert.notEqual(keeper.current.authority, before);
  assert.ok(found.length > 0);
  assert.ok(found.every(Boolean));
  keeper.close();
});

describe('a node that signs its own certificate', () => {
  const open = (names: readonly string[], clock = new SteppedClock(), store = memoryPairStore()): Promise<KeptPair> =>
    keepOwnNodePair('worker-1', names, { store, clock, logger: silentLogger });

  test('stands for its address, and keeps it as long as it is good', async () => {
    const [clock, store] = [new SteppedClock(), memoryPairStore()];
    const { current } = await open(['10.0.0.7'], clock, store);
    const certificate = new X509Certificate(current.certificate);
    assert.ok(certificate.verify(certificate.publicKey));
    assert.equal(certificate.checkIP('10.0.0.7'), '10.0.0.7');
    assert.equal(certificate.ca, false);
    assert.deepEqual((await open(['10.0.0.7'], clock, store)).current, current);
    assert.notDeepEqual((await open(['10.0.0.8'], clock, store)).current, current);
  });

  test('renews it in time', async () => {
    const clock = new SteppedClock();
    const pair = await open(['10.0.0.7'], clock);
    const heard = renewals(pair);
    clock.step(280 * day);
    await pair.renew();
    assert.equal(heard.length, 1);
    const { validTo } = new X509Certificate(pair.current.certificate);
    assert.ok(Date.parse(validTo) > clock.now() + 360 * day);
  });

  test('cannot have a name that no node has', () => {
    const keeping = { store: memoryPairStore(), clock: new SteppedClock(), logger: silentLogger };
    assert.throws(() => keepOwnNodePair('../ca', [], keeping), RangeError);
  });
});

describe('a pair in files', () => {
  async function files(t: TestContext): Promise<{ crt: string; key: string; write: (pair: KeyPair) => Promise<void> }> {
    const directory = await mkdtemp(join(tmpdir(), 'wherry-pair-'));
    t.after(() => rm(directory, { recursive: true, force: true }));
    const [crt, key] = [join(directory, 'tls.crt'), join(directory, 'tls.key')];
    return {
      crt,
      key,
      async write(pair) {
        await writeFile(crt, pair.certificate);
        await writeFile(key, pair.key);
      },
    };
  }

  const life = { notBefore: Date.now() - day, notAfter: Date.now() + day };
  const newPair = (): Promise<KeyPair> =>
    createKeyPair({ subject: { commonName: 'x' }, use: 'server', names: ['10.0.0.7'], ...life });

  test('is used anew when the files are replaced, and on while they hold no pair', async (t) => {
    const { crt, key, write } = await files(t);
    const [first, second] = [await newPair(), await newPair()];
    await write(first);
    const pair = await followPairFiles(crt, key);
    const heard = renewals(pair);
    const clock = new SteppedClock();
    const errors: unknown[] = [];
    const logger: Logger = { ...silentLogger, error: (_message, fields) => errors.push(fields) };
    const timer = pair.renewEvery(1000, { clock, logger });
    await write({ ...second, key: first.key });
    clock.step(1000);
    while (errors.length === 0) await turn();
    assert.deepEqual([pair.current, heard], [first, []]);
    await write(second);
    clock.step(1000);
    while (heard.length === 0) await turn();
    assert.deepEqual([pair.current, heard], [second, [second]]);
    timer.cancel();
  });

  test('that are not there or do not belong together are refused by name', async (t) => {
    const { crt, key, write } = await files(t);
    await assert.rejects(followPairFiles(crt, key), (error: Error) => {
      assert.ok(error instanceof RangeError);
      assert.match(error.message, /tls\.crt and .*tls\.key hold no certificate with its key: ENOENT/);
      return true;
    });
    await write({ certificate: (await newPair()).certificate, key: (await newPair()).key });
    await assert.rejects(followPairFiles(crt, key), /does not belong to the certificate/);
  });
});
