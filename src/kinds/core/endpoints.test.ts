import assert from 'node:assert/strict';
import { test } from 'node:test';
import { begun, refusals } from '../testing/first-write.ts';
import { shownCells } from '../testing/shown-cells.ts';
import { endpoints } from './endpoints.ts';

const ready = (...ips: string[]): { ip: string }[] => ips.map((ip) => ({ ip }));

function withAddress(ip: string): object {
  return { subsets: [{ addresses: ready(ip), ports: [{ port: 80 }] }] };
}

for (const ip of ['10.10.0.1', '::ffff:10.10.0.1', '8.8.8.8', '127.64.0.2']) {
  test(`${ip} is an address`, () => assert.deepEqual(refusals(endpoints, withAddress(ip)), []));
}

for (const ip of [
  '',
  'web',
  '999.1.1.1',
  '127.0.0.1',
  '169.254.1.1',
  '224.0.0.9',
  '0.0.0.0',
  'fd00::1',
  '10.0.0.1%eth0',
]) {
  test(`"${ip}" is refused as an address`, () => {
    assert.deepEqual(refusals(endpoints, withAddress(ip)), ['subsets[0].addresses[0].ip Invalid']);
  });
}

const subset = (ports: object[]): object => ({ subsets: [{ addresses: ready('10.0.0.1'), ports }] });
const cases: [what: string, body: object, refused: string[]][] = [
  ['no subset at all', {}, []],
  ['a subset with nothing', { subsets: [{}] }, ['subsets[0] Required', 'subsets[0].ports Required']],
  [
    'only addresses that are not ready',
    { subsets: [{ notReadyAddresses: ready('10.0.0.1'), ports: [{ port: 1 }] }] },
    [],
  ],
  [
    'anything that is not ready',
    { subsets: [{ notReadyAddresses: ready('127.0.0.1', 'soon'), ports: [{ port: 1 }] }] },
    [],
  ],
  ['a port of 0', subset([{ port: 0 }]), ['subsets[0].ports[0].port Invalid']],
  ['a port that is not there', subset([{}]), ['subsets[0].ports[0].port Invalid']],
  ['a port beyond 65535', subset([{ port: 65536 }]), ['subsets[0].ports[0].port Invalid']],
  ['an unknown protocol', subset([{ port: 1, protocol: 'ICMP' }]), ['subsets[0].ports[0].protocol NotSupported']],
  ['a bad port name', subset([{ port: 1, name: 'A_B' }]), ['subsets[0].ports[0].name Invalid']],
  [
    'several ports without names',
    subset([{ port: 1 }, { port: 2 }]),
    ['subsets[0].ports[0].name Required', 'subsets[0].ports[1].name Required'],
  ],
];
for (const [what, body, refused] of cases) {
  test(`${what} is ${refused.length > 0 ? 'refused' : 'taken'}`, () =>
    assert.deepEqual(refusals(endpoints, body), refused));
}

test('a mistake names the subset as it was sent', () => {
  const body = {
    subsets: [
      { addresses: ready('10.0.0.1'), ports: [{ port: 80 }] },
      { addresses: ready('x'), ports: [{ port: 80 }] },
    ],
  };
  assert.deepEqual(refusals(endpoints, body), ['subsets[1].addresses[0].ip Invalid']);
});

test('subsets with the same ports become one, with sorted addresses', () => {
  const packed = begun(endpoints, {
    subsets: [
      { addresses: ready('10.10.2.2'), ports: [{ port: 80 }] },
      { addresses: ready('10.10.2.1'), ports: [{ port: 80 }] },
    ],
  });
  endpoints.canonicalize?.(packed);
  assert.deepEqual(packed.subsets, [
    { addresses: ready('10.10.2.1', '10.10.2.2'), ports: [{ port: 80, protocol: 'TCP' }] },
  ]);
});

test('ports without names are refused only where they were sent together', () => {
  const body = {
    subsets: [
      { addresses: ready('10.0.0.1'), ports: [{ port: 80 }] },
      { addresses: ready('10.0.0.1'), ports: [{ port: 81 }] },
    ],
  };
  assert.deepEqual(refusals(endpoints, body), []);
});

for (const [names, isRight] of [
  ['{"10.0.0.1":{"HostName":"web"}}', true],
  ['{"10.0.0.1":{"hostname":"web"}}', true],
  ['{"fd00::1":{"HostName":"web","more":1}}', true],
  ['{}', true],
  ['null', true],
  ['', false],
  ['web', false],
  ['[]', false],
  ['{"10.0.0.1":"web"}', false],
  ['{"10.0.0.1":null}', false],
  ['{"10.0.0.1":{"HostName":"Web"}}', false],
  ['{"10.0.0":{"HostName":"web"}}', false],
] as const) {
  test(`${names || 'nothing'} says ${isRight ? 'what hosts are called' : 'nothing about hosts'}`, () => {
    const annotation = 'endpoints.beta.kubernetes.io/hostnames-map';
    const body = { metadata: { name: 'web', annotations: { [annotation]: names } } };
    assert.deepEqual(refusals(endpoints, body), isRight ? [] : [`metadata.annotations[${annotation}] Invalid`]);
  });
}

test('endpoints of many addresses and ports are summed up without naming each', () => {
  const addresses = Array.from({ length: 60_000 }, () => ({ ip: '10.0.0.1' }));
  const ports = Array.from({ length: 60_000 }, () => ({ port: 80 }));
  const cells = shownCells(endpoints, { ...endpoints.example, subsets: [{ addresses, ports }] });
  const shown = '10.0.0.1:80,10.0.0.1:80,10.0.0.1:80';
  assert.equal(cells['Endpoints'], `${shown} + ${60_000 * 60_000 - 3} more...`);
});
