import assert from 'node:assert/strict';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { CertificateKeeper, type Certificates } from '../../src/access/certificates/certificate-keeper.ts';
import { memoryPairStore } from '../../src/access/certificates/pair-store.ts';
import { systemClock } from '../../src/base/clock.ts';
import { silentLogger } from '../../src/base/logger.ts';
import { openEtcdStorage, type EtcdStorageOptions } from '../../src/storage/etcd/etcd-storage.ts';
import { bytes, failsWith } from '../../src/storage/suite/expectations.ts';
import { EtcdProcess, findEtcd } from './etcd-process.ts';

const { program, skip } = await findEtcd();

describe('an etcd with TLS', { skip }, () => {
  let directory: string;
  let etcd: EtcdProcess;
  let certificates: Certificates;
  before(async () => {
    directory = await mkdtemp(join(tmpdir(), 'wherry-etcd-tls-'));
    const keeping = { store: memoryPairStore(), clock: systemClock, logger: silentLogger };
    const keeper = await CertificateKeeper.open({ ...keeping, names: ['127.0.0.1'] });
    certificates = keeper.current;
    keeper.close();
    const { authority, serving } = certificates;
    const [authorityFile, certificateFile, keyFile] = ['ca.pem', 'cert.pem', 'key.pem'].map((name) => join(directory, name)); // prettier-ignore
    await writeFile(authorityFile!, authority);
    await writeFile(certificateFile!, serving.certificate);
    await writeFile(keyFile!, serving.key, { mode: 0o600 });
    etcd = await EtcdProcess.start(program, {
      authorityFile: authorityFile!,
      certificateFile: certificateFile!,
      keyFile: keyFile!,
    });
  });
  after(async () => {
    await etcd.remove();
    await rm(directory, { recursive: true, force: true });
  });

  const optionsWith = (tls: EtcdStorageOptions['tls']): EtcdStorageOptions => ({
    endpoints: [etcd.url],
    tls,
    clock: systemClock,
    timeoutMs: 300,
  });

  test('lets in who has a certificate of its authority', async (t) => {
    const { authority, admin } = certificates;
    const storage = await openEtcdStorage(optionsWith({ authority, ...admin }));
    t.after(() => storage.close());
    const { revision } = await storage.create('/tls', bytes('secret'));
    assert.equal((await storage.get('/tls'))?.revision, revision);
  });

  test('is not trusted when another authority is expected, nor trusts who shows nothing', async () => {
    await failsWith('Unavailable', openEtcdStorage(optionsWith({ ...certificates.admin })));
    await failsWith('Unavailable', openEtcdStorage(optionsWith({ authority: certificates.authority })));
  });
});
