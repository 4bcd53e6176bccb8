import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { parseBlock, subBlocks } from './address-block.ts';
import { AddressPool } from './address-pool.ts';

describe('a block of addresses', () => {
  it('counts its addresses from the first', () => {
    const block = parseBlock('10.64.1.77/24')!;
    assert.equal(block.size, 256);
    assert.equal(block.at(3), '10.64.1.3');
    assert.equal(block.positionOf('10.64.1.255'), 255);
    assert.equal(block.positionOf('10.64.2.0'), undefined);
    assert.equal(block.positionOf('nowhere'), undefined);
  });

  it('has parts', () => {
    const parts = [...subBlocks(parseBlock('172.16.0.0/22')!, 9)];
    assert.deepEqual(parts.map(({ cidr }) => cidr), ['172.16.0.0/23', '172.16.2.0/23']); // prettier-ignore
  });

  it('has no parts that are larger than itself', () => {
    for (const bits of [11, 32, 40]) assert.deepEqual([...subBlocks(parseBlock('172.16.0.0/22')!, bits)], []);
  });

  for (const text of ['', '10.0.0.0', '10.0.0.0/33', '10.0.0/24', '10.0.0.256/24', '10.0.0.0/x']) {
    it(`is not "${text}"`, () => assert.equal(parseBlock(text), undefined));
  }
});

describe('a pool of addresses', () => {
  const open = (): AddressPool => new AddressPool(parseBlock('10.0.0.0/29')!);

  it('gives each owner one address, the same each time', () => {
    const pool = open();
    assert.equal(pool.take('a'), '10.0.0.1');
    assert.equal(pool.take('b'), '10.0.0.2');
    assert.equal(pool.take('a'), '10.0.0.1');
  });

  it('gives out no address that somebody has already', () => {
    const pool = open();
    pool.keep('old', '10.0.0.1');
    pool.keep('stranger', '10.9.9.9');
    assert.equal(pool.take('new'), '10.0.0.2');
    assert.equal(pool.take('old'), '10.0.0.1');
  });

  it('says when there are no more, and goes on when one is given back', () => {
    const pool = open();
    const taken = ['a', 'b', 'c', 'd', 'e', 'f'].map((owner) => pool.take(owner));
    assert.equal(new Set(taken).size, 6);
    assert.equal(pool.take('g'), '');
    pool.release('c');
    assert.equal(pool.take('g'), taken[2]);
  });
});
