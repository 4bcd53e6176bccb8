import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseBlock } from '../../../../simulated/address-block.ts';
import { networkNames } from './network-names.ts';
import { routeTargets } from './used-networks.ts';

const names = networkNames('/some/node');

test('names differ from node to node and are short enough for the kernel', () => {
  const other = networkNames('/some/other');
  assert.notEqual(names.bridge, other.bridge);
  assert.notEqual(names.routeMetric, other.routeMetric);
  assert.deepEqual(names.bridge, networkNames('/some/node').bridge);
  for (const name of [names.bridge, names.linkOf(1023)]) assert.ok(name.length <= 15, name);
});

test('networks that the machine has routes to are found, and the way to all others, apart from our own', () => {
  const routes = [
    'default via 192.0.2.1 dev eth0 ',
    '192.0.2.0/24 dev eth0 proto kernel scope link src 192.0.2.2 ',
    'unreachable 10.1.0.0/16 metric 4278198272 ',
    `198.18.4.0/22 dev ${names.bridge} proto kernel scope link src 198.18.4.1 `,
    `local 198.19.16.0/20 dev lo table local scope host metric ${names.routeMetric} `,
    'local 10.9.0.1 dev wg0 table local proto kernel scope host src 10.9.0.1 ',
    'broadcast 10.9.0.255 dev wg0 table local proto kernel scope link src 10.9.0.1 ',
    '',
  ].join('\n');
  const found = routeTargets(routes, names).map(({ cidr }) => cidr);
  assert.deepEqual(found, ['192.0.2.1/32', '192.0.2.0/24', '10.1.0.0/16', '10.9.0.1/32', '10.9.0.255/32']);
});

test('blocks are told apart by where they begin and end', () => {
  const block = parseBlock('198.18.4.0/22')!;
  assert.equal(block.positionOf('198.18.7.255'), 1023);
  assert.equal(block.positionOf('198.18.8.0'), undefined);
});
