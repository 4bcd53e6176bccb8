import assert from 'node:assert/strict';
import { test } from 'node:test';
import * as fc from 'fast-check';
import type { EndpointSubset } from './endpoint-subset.ts';
import { isApiError } from '../meta/api-error.ts';
import { repackSubsets } from './repack-subsets.ts';

const web = { name: 'web', port: 80, protocol: 'TCP' as const };
const dns = { name: 'dns', port: 53, protocol: 'UDP' as const };

test('an address that is not ready in one subset is not ready at all', () => {
  const packed = repackSubsets([
    { addresses: [{ ip: '10.0.0.1' }], ports: [web] },
    { notReadyAddresses: [{ ip: '10.0.0.1' }], ports: [web] },
    { addresses: [{ ip: '10.0.0.1' }], ports: [web] },
  ]);
  assert.deepEqual(packed, [{ notReadyAddresses: [{ ip: '10.0.0.1' }], ports: [web] }]);
});

test('the same address with another object behind it is another address, after those with none', () => {
  const addresses = [
    { ip: '10.0.0.1', targetRef: { uid: 'b' } },
    { ip: '10.0.0.1', targetRef: { uid: 'a' } },
    { ip: '10.0.0.1' },
  ];
  const [subset] = repackSubsets([{ addresses, ports: [web] }]);
  assert.deepEqual(subset?.addresses, [addresses[2], addresses[1], addresses[0]]);
});

test('ports with other addresses stand in subsets of their own', () => {
  const packed = repackSubsets([
    { addresses: [{ ip: '10.0.0.1' }, { ip: '10.0.0.2' }], ports: [web] },
    { addresses: [{ ip: '10.0.0.1' }], ports: [dns] },
  ]);
  assert.equal(packed.length, 2);
});

test('subsets stand in the order of the reference', () => {
  const subsets = [1, 2, 3, 4, 5, 6, 7, 8].map((n) => ({
    addresses: [{ ip: `1.1.1.${n}` }],
    ports: [{ port: n, protocol: 'TCP' as const }],
  }));
  const order = repackSubsets(subsets).map(({ ports }) => ports?.[0]?.port);
  assert.deepEqual(order, [8, 3, 1, 7, 2, 5, 6, 4]);
});

const address = fc.constantFrom({ ip: '10.0.0.1' }, { ip: '10.0.0.2' }, { ip: '10.0.0.3' });
const addressList = fc.uniqueArray(address, { minLength: 1 });
const someSubset = fc.record({
  addresses: addressList,
  ports: fc.uniqueArray(fc.constantFrom(web, dns), { minLength: 1 }),
}) satisfies fc.Arbitrary<EndpointSubset>;

test('the order in which subsets are given does not matter, and packing again changes nothing', () => {
  fc.assert(
    fc.property(fc.array(someSubset, { maxLength: 5 }), (subsets) => {
      const packed = repackSubsets(subsets);
      assert.deepEqual(repackSubsets(subsets.toReversed()), packed);
      assert.deepEqual(repackSubsets(packed), packed);
    }),
  );
});

test('every pair of an address and a port is kept, and nothing else comes in', () => {
  const pairs = (subsets: EndpointSubset[]): string[] => {
    const all = subsets.flatMap(({ addresses = [], ports = [] }) =>
      addresses.flatMap(({ ip }) => ports.map(({ port }) => `${ip}:${port}`)),
    );
    return [...new Set(all)].sort();
  };
  fc.assert(
    fc.property(fc.array(someSubset, { maxLength: 5 }), (subsets) => {
      assert.deepEqual(pairs(repackSubsets(subsets)), pairs(subsets));
    }),
  );
});

const manyAddresses = Array.from({ length: 20_000 }, (_, i) => ({ ip: `10.0.${i >> 8}.${i & 255}` }));
const manyPorts = Array.from({ length: 20_000 }, (_, i) => ({ name: `p${i}`, port: i + 1 }));

test('a subset of many addresses and many ports is packed without looking at each pair', () => {
  const [subset, ...others] = repackSubsets([{ addresses: manyAddresses, ports: manyPorts }]);
  assert.deepEqual([subset?.addresses?.length, subset?.ports?.length, others.length], [20_000, 20_000, 0]);
});

test('subsets that would repeat their addresses port by port beyond all measure are refused with 413', () => {
  const single = (port: (typeof manyPorts)[number], i: number): EndpointSubset => ({
    addresses: [{ ip: `10.1.${i >> 8}.${i & 255}` }],
    ports: [port],
  });
  const subsets = [{ addresses: manyAddresses, ports: manyPorts }, ...manyPorts.map(single)];
  assert.throws(
    () => repackSubsets(subsets),
    (error) => isApiError(error, 413),
  );
});
