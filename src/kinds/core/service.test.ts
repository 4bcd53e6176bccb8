import assert from 'node:assert/strict';
import { test } from 'node:test';
import { begun, refusals, updateRefusals } from '../testing/first-write.ts';
import { service } from './service.ts';

test('a service is completed with type, affinity, protocol and target port', () => {
  assert.deepEqual(begun(service, { spec: { ports: [{ port: 80 }] } }).spec, {
    ports: [{ protocol: 'TCP', port: 80, targetPort: 80 }],
    type: 'ClusterIP',
    sessionAffinity: 'None',
  });
});

test('the old name of the external addresses mirrors them, and goes first when both are given', () => {
  const ports = [{ port: 80 }];
  const mirrored = begun(service, { spec: { ports, externalIPs: ['192.0.2.1'] } }).spec;
  assert.deepEqual(mirrored?.deprecatedPublicIPs, ['192.0.2.1']);
  const both = begun(service, { spec: { ports, externalIPs: ['192.0.2.1'], deprecatedPublicIPs: ['192.0.2.2'] } }).spec;
  assert.deepEqual(both?.externalIPs, ['192.0.2.2']);
});

const one = [{ port: 80 }];
const first = 'spec.ports[0]';
const cases: [what: string, spec: object, refused: string[]][] = [
  ['no ports', {}, ['spec.ports Required']],
  ['a port of 0', { ports: [{}] }, [`${first}.port Invalid`, `${first}.targetPort Invalid`]],
  ['several ports without names', { ports: [{ port: 1 }, { port: 2, name: 'b' }] }, [`${first}.name Required`]],
  [
    'a name twice',
    {
      ports: [
        { name: 'a', port: 1 },
        { name: 'a', port: 2 },
      ],
    },
    ['spec.ports[1].name Duplicate'],
  ],
  [
    'a bad name twice',
    {
      ports: [
        { name: 'A', port: 1 },
        { name: 'A', port: 2 },
      ],
    },
    [`${first}.name Invalid`, 'spec.ports[1].name Invalid'],
  ],
  ['a bad name', { ports: [{ name: 'A', port: 1 }] }, [`${first}.name Invalid`]],
  ['an unknown protocol', { ports: [{ port: 1, protocol: 'ICMP' }] }, [`${first}.protocol NotSupported`]],
  ['a named target', { ports: [{ port: 1, targetPort: 'http-alt' }] }, []],
  ['a target of digits', { ports: [{ port: 1, targetPort: '8080' }] }, [`${first}.targetPort Invalid`]],
  ['a target with two dashes', { ports: [{ port: 1, targetPort: 'a--b' }] }, [`${first}.targetPort Invalid`]],
  [
    'a target with a long name',
    { ports: [{ port: 1, targetPort: 'sixteen-letters-' }] },
    [`${first}.targetPort Invalid`],
  ],
  ['a target beyond 65535', { ports: [{ port: 1, targetPort: 65536 }] }, [`${first}.targetPort Invalid`]],
  ['an unknown type', { ports: one, type: 'Magic' }, ['spec.type NotSupported']],
  ['an unknown affinity', { ports: one, sessionAffinity: 'Glue' }, ['spec.sessionAffinity NotSupported']],
  ['a headless service without ports', { clusterIP: 'None' }, []],
  ['a headless service', { ports: one, clusterIP: 'None' }, []],
  ['an address that is none', { ports: one, clusterIP: '10.0.0' }, ['spec.clusterIP Invalid']],
  ['a bad selector', { ports: one, selector: { 'bad key': 'x' } }, ['spec.selector Invalid']],
  ['an external loopback', { ports: one, externalIPs: ['8.8.8.8', '127.0.0.1'] }, ['spec.externalIPs[1] Invalid']],
  ['an external name', { ports: one, externalIPs: ['example.com'] }, ['spec.externalIPs[0] Invalid']],
  ['a node port without a type', { ports: [{ port: 80, nodePort: 30001 }] }, [`${first}.nodePort Invalid`]],
  ['a node port', { type: 'NodePort', ports: [{ port: 80, nodePort: 30001 }] }, []],
  [
    'a node port twice',
    {
      type: 'NodePort',
      ports: [
        { name: 'a', port: 1, nodePort: 30001 },
        { name: 'b', port: 2, nodePort: 30001 },
      ],
    },
    ['spec.ports[1].nodePort Duplicate'],
  ],
  [
    'a node port for both protocols',
    {
      type: 'NodePort',
      ports: [
        { name: 'a', port: 1, nodePort: 30001 },
        { name: 'b', port: 1, nodePort: 30001, protocol: 'UDP' },
      ],
    },
    [],
  ],
  ['a balanced port of the node agents', { type: 'LoadBalancer', ports: [{ port: 10250 }] }, [`${first} Invalid`]],
  [
    'a load balancer for an unknown protocol',
    { type: 'LoadBalancer', ports: [{ port: 1, protocol: 'ICMP' }] },
    [`${first}.protocol NotSupported`, `${first}.protocol Invalid`],
  ],
  [
    'a load balancer for both protocols',
    {
      type: 'LoadBalancer',
      ports: [
        { name: 'a', port: 1 },
        { name: 'b', port: 2, protocol: 'UDP' },
      ],
    },
    ['spec.ports Invalid'],
  ],
];
for (const [what, spec, refused] of cases) {
  test(`${what}: ${refused.length > 0 ? 'refused' : 'taken'}`, () => {
    assert.deepEqual(refusals(service, { spec }), refused);
  });
}

for (const [ranges, isRight] of [
  ['', true],
  ['10.0.0.0/8', true],
  [' 10.0.0.0/8, 192.168.0.0/16 ', true],
  ['2001:db8::/32', true],
  ['10.0.0.0', false],
  ['10.0.0.0/33', false],
  ['10.0.0.0/8,', false],
  ['10.0.0.0/-1', false],
  ['home/8', false],
] as const) {
  test(`"${ranges}" are ${isRight ? '' : 'no '}ranges that a load balancer can take traffic from`, () => {
    const annotation = 'service.beta.kubernetes.io/load-balancer-source-ranges';
    const body = { metadata: { name: 'web', annotations: { [annotation]: ranges } }, spec: { ports: one } };
    assert.deepEqual(refusals(service, body), isRight ? [] : [`metadata.annotations[${annotation}] Invalid`]);
  });
}

const withAddress = (clusterIP?: string): object => ({ spec: { ports: one, clusterIP } });

test('an address cannot be changed or given up', () => {
  assert.deepEqual(updateRefusals(service, withAddress('10.0.0.1'), withAddress('10.0.0.2')), [
    'spec.clusterIP Invalid',
  ]);
  assert.deepEqual(updateRefusals(service, withAddress('10.0.0.1'), withAddress()), ['spec.clusterIP Invalid']);
  assert.deepEqual(updateRefusals(service, withAddress('10.0.0.1'), withAddress('10.0.0.1')), []);
});

test('a headless service may be given an address', () => {
  assert.deepEqual(updateRefusals(service, withAddress('None'), withAddress('10.0.0.2')), []);
});

test('an export leaves out what this cluster chose', () => {
  const exported = begun(service, {
    spec: { type: 'NodePort', clusterIP: '10.0.0.1', ports: [{ port: 1, nodePort: 30001 }] },
  });
  service.prepareForExport?.(exported, false);
  assert.equal(exported.spec?.clusterIP, '<unknown>');
  assert.equal(exported.spec?.ports[0]?.nodePort, undefined);
});

test('an export leaves the node ports of a load balancer', () => {
  const exported = begun(service, { spec: { type: 'LoadBalancer', ports: [{ port: 1, nodePort: 30001 }] } });
  service.prepareForExport?.(exported, false);
  assert.equal(exported.spec?.ports[0]?.nodePort, 30001);
});

test('an exact export keeps what this cluster chose, and a headless service stays headless', () => {
  const exact = begun(service, withAddress('10.0.0.1'));
  service.prepareForExport?.(exact, true);
  assert.equal(exact.spec?.clusterIP, '10.0.0.1');
  const headless = begun(service, withAddress('None'));
  service.prepareForExport?.(headless, false);
  assert.equal(headless.spec?.clusterIP, 'None');
});

test('a load balancer reports addresses and names, each in its place', () => {
  const broken = begun(service, { spec: { ports: one } });
  broken.status = {
    loadBalancer: { ingress: [{ ip: 'example.com' }, { hostname: '10.0.0.1' }, { hostname: 'lb.example.com' }] },
  };
  assert.deepEqual(refusals({ ...service, prepareForCreate: undefined }, broken), [
    'status.loadBalancer.ingress[0].ip Invalid',
    'status.loadBalancer.ingress[1].hostname Invalid',
  ]);
});
