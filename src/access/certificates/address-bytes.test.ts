import assert from 'node:assert/strict';
import { test } from 'node:test';
import { addressBytes } from './address-bytes.ts';

test('an IPv4 address is four bytes', () => {
  assert.equal(addressBytes('10.0.200.1').toString('hex'), '0a00c801');
});

test('an IPv6 address is sixteen bytes, however it is abbreviated', () => {
  const zeros = (groups: number): string => '0000'.repeat(groups);
  assert.equal(addressBytes('::').toString('hex'), zeros(8));
  assert.equal(addressBytes('::1').toString('hex'), `${zeros(7)}0001`);
  assert.equal(addressBytes('2001:DB8::1:2').toString('hex'), `20010db8${zeros(4)}00010002`);
  assert.equal(addressBytes('1:2:3:4:5:6:7:8').toString('hex'), '00010002000300040005000600070008');
  assert.equal(addressBytes('::ffff:1.2.3.4').toString('hex'), `${zeros(5)}ffff01020304`);
});

test('what is no plain address is refused', () => {
  for (const text of ['', 'localhost', '1.2.3', 'fe80::1%eth0', '::1/128']) {
    assert.throws(() => addressBytes(text), RangeError);
  }
});
