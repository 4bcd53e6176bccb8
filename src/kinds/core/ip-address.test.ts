import assert from 'node:assert/strict';
import { test } from 'node:test';
import { FieldErrors } from '../../schema/field-errors.ts';
import { Path } from '../../schema/path.ts';
import { isLoopbackPodAddress, isReachableIpv4, validateReachableAddress } from './ip-address.ts';

function isAccepted(address: string): boolean {
  const errors = new FieldErrors();
  validateReachableAddress(address, Path.of('ip'), errors);
  return !errors.any;
}

for (const address of [
  '0.0.0.1',
  '126.255.255.255',
  '128.0.0.0',
  '169.253.0.1',
  '169.255.0.1',
  '224.0.1.0',
  '10.0.0.1',
]) {
  test(`${address} can be reached`, () => {
    assert.deepEqual([isAccepted(address), isReachableIpv4(address)], [true, true]);
  });
}

for (const address of ['0.0.0.0', '127.0.0.0', '127.255.255.255', '169.254.0.1', '224.0.0.255', '::ffff:127.0.0.1']) {
  test(`${address} means something else on every machine`, () => {
    assert.deepEqual([isAccepted(address), isReachableIpv4(address)], [false, false]);
  });
}

for (const [address, isPods] of [
  ['127.63.255.255', false],
  ['127.64.0.0', true],
  ['::ffff:127.64.0.1', true],
  ['127.127.255.255', true],
  ['127.128.0.0', false],
  ['127.0.0.1', false],
] as const) {
  test(`${address} is a loopback address ${isPods ? 'on which pods may be reached' : 'of the machine itself'}`, () => {
    assert.deepEqual([isLoopbackPodAddress(address), isReachableIpv4(address)], [isPods, isPods]);
    assert.equal(isAccepted(address), false);
  });
}

for (const [address, isWanted] of [
  ['2001:db8::1', true],
  ['::', false],
  ['::1', false],
  ['fe80::1', false],
  ['ff02::1', false],
] as const) {
  test(`${address} is ${isWanted ? '' : 'not '}accepted where both families are`, () => {
    assert.deepEqual([isAccepted(address), isReachableIpv4(address)], [isWanted, false]);
  });
}

for (const text of ['', '10.0.0', '10.0.0.256', 'ten', '10.0.0.1/24', 'fe80::1%eth0']) {
  test(`"${text}" is no address`, () => {
    assert.deepEqual([isAccepted(text), isReachableIpv4(text)], [false, false]);
  });
}
