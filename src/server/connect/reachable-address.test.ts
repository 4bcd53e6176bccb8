import assert from 'node:assert/strict';
import type { LookupAddress } from 'node:dns';
import { test } from 'node:test';
import { addressFault, guardedLookup } from './reachable-address.ts';

for (const address of [
  '10.1.2.3',
  '192.168.0.1',
  '8.8.8.8',
  '127.64.0.1',
  '127.127.255.254',
  'fd00::1',
  '2001:db8::1',
]) {
  test(`${address} may be a pod's or a node's`, () => {
    assert.deepEqual([addressFault(address, 'pod'), addressFault(address, 'node')], [undefined, undefined]);
  });
}

for (const address of ['127.0.0.1', '127.63.255.255', '127.128.0.0', '::1', '::ffff:127.0.0.1']) {
  test(`${address} is this machine, which only nodes may be`, () => {
    assert.match(addressFault(address, 'pod') ?? '', /API server itself/);
    assert.equal(addressFault(address, 'node'), undefined);
  });
}

for (const address of [
  '0.0.0.0',
  '0.1.2.3',
  '169.254.169.254',
  '224.0.0.1',
  '255.255.255.255',
  '::',
  '::7f00:1',
  '::ffff:7f00:1',
  '::ffff:169.254.169.254',
  '64:ff9b::7f00:1',
  'fe80::1',
  'ff02::1',
  'fd00:ec2::254',
  'localhost',
  '',
  '2130706433',
]) {
  test(`"${address}" is nobody's`, () => {
    assert.notEqual(addressFault(address, 'pod'), undefined);
    assert.notEqual(addressFault(address, 'node'), undefined);
  });
}

function looked(owner: 'pod' | 'node', all: boolean): Promise<string | LookupAddress[]> {
  return new Promise((resolve, reject) => {
    guardedLookup(owner)('localhost', { all }, (error, found) => (error ? reject(error) : resolve(found)));
  });
}

test('a name is taken for the addresses that it leads to', async () => {
  const found = (await looked('node', true)) as LookupAddress[];
  assert.ok(found.length > 0);
  assert.match((await looked('node', false)) as string, /^(127\.0\.0\.1|::1)$/);
  await assert.rejects(looked('pod', true), /no address that may be connected to/);
});
