import assert from 'node:assert/strict';
import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, it, type TestContext } from 'node:test';
import { parseBlock } from '../../../simulated/address-block.ts';
import { AddressTable } from './address-table.ts';
import { claimBlock } from './claim-block.ts';

async function temporaryDirectory(t: TestContext): Promise<string> {
  const directory = await mkdtemp(join(tmpdir(), 'wherry-addresses-'));
  t.after(() => rm(directory, { recursive: true }));
  return directory;
}

describe('addresses of pods', () => {
  it('a pod keeps its address until it is released, also in the next table', async (t) => {
    const path = join(await temporaryDirectory(t), 'addresses.json');
    const block = parseBlock('127.64.0.0/29')!;
    const table = await AddressTable.open(path, block);
    const [a, b] = await Promise.all([table.claim('a'), table.claim('b')]);
    assert.deepEqual([a, b, await table.claim('a')], ['127.64.0.1', '127.64.0.2', '127.64.0.1']);
    const next = await AddressTable.open(path, block);
    assert.equal(await next.claim('b'), b);
    assert.notEqual(await next.claim('c'), a);
    await next.release('a');
    const last = await AddressTable.open(path, block);
    assert.equal(await last.claim('b'), b);
  });

  it('an address that could not be written down is not given', async (t) => {
    const directory = join(await temporaryDirectory(t), 'later');
    const path = join(directory, 'addresses.json');
    const block = parseBlock('127.64.0.0/29')!;
    const table = await AddressTable.open(path, block);
    await assert.rejects(table.claim('a'), { code: 'ENOENT' });
    assert.equal(table.find('a'), undefined);
    await mkdir(directory);
    const address = await table.claim('a');
    assert.equal((await AddressTable.open(path, block)).find('a'), address);
  });

  it('when all are taken there is none', async (t) => {
    const table = await AddressTable.open(
      join(await temporaryDirectory(t), 'addresses.json'),
      parseBlock('127.64.0.0/30')!,
    );
    assert.ok(await table.claim('a'));
    assert.ok(await table.claim('b'));
    assert.equal(await table.claim('c'), undefined);
    await table.release('a');
    assert.ok(await table.claim('c'));
  });
});

describe('parts of the range', () => {
  it('nodes of one machine never get the same part, and each gets its own again', async (t) => {
    const directory = await temporaryDirectory(t);
    const range = parseBlock('127.64.0.0/18')!;
    const registry = join(directory, 'registry');
    const owners = Array.from({ length: 16 }, (_, i) => join(directory, `node-${i}`));
    for (const owner of owners) await mkdir(owner);
    const claim = async (owner: string): Promise<string> => (await claimBlock({ range, registry, owner })).cidr;
    const blocks: string[] = [];
    for (const owner of owners) blocks.push(await claim(owner));
    assert.equal(new Set(blocks).size, 16);
    assert.deepEqual([await claim(owners[5]!), await claim(owners[11]!)], [blocks[5], blocks[11]]);
    await assert.rejects(claim(directory), /are taken by other nodes/);
    // A node that is gone leaves its part.
    await rm(owners[3]!, { recursive: true });
    assert.equal(await claim(directory), blocks[3]);
  });

  it('a range that is no larger than a part belongs to whoever was given it', async (t) => {
    const directory = await temporaryDirectory(t);
    const range = parseBlock('127.1.2.0/24')!;
    assert.equal(
      (await claimBlock({ range, registry: join(directory, 'registry'), owner: directory })).cidr,
      range.cidr,
    );
  });
});
