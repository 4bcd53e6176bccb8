import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Endpoints } from '../../kinds/core/endpoints.ts';
import type { ServiceSpec } from '../../kinds/core/service-spec.ts';
import type { Service } from '../../kinds/core/service.ts';
import { readyEndpoints } from './endpoint.ts';
import { portalsOf, portalText } from './portal.ts';

function shown(spec: Partial<ServiceSpec>, status?: Service['status'], nodePortAddress = ''): string[] {
  const service: Service = {
    kind: 'Service',
    apiVersion: 'v1',
    metadata: { name: 'web' },
    spec: { ports: [{ port: 80, nodePort: 30_080 }], clusterIP: '10.0.0.7', ...spec },
    status,
  };
  return portalsOf(service, nodePortAddress).map(portalText);
}

describe('the portals of a service', () => {
  it('are its address and, where its type says so, node ports', () => {
    assert.deepEqual(shown({}), ['10.0.0.7:80/TCP']);
    assert.deepEqual(shown({ type: 'NodePort' }), ['10.0.0.7:80/TCP', '*:30080/TCP']);
    assert.deepEqual(shown({ type: 'LoadBalancer' }, undefined, '192.0.2.9'), [
      '10.0.0.7:80/TCP',
      '192.0.2.9:30080/TCP',
    ]);
  });

  it('are its external addresses and those of its load balancer, each once', () => {
    const status = {
      loadBalancer: { ingress: [{ ip: '192.0.2.1' }, { hostname: 'lb.example.com' }, { ip: '2001:db8::1' }] },
    };
    assert.deepEqual(shown({ externalIPs: ['192.0.2.1'] }, status), [
      '10.0.0.7:80/TCP',
      '192.0.2.1:80/TCP',
      '[2001:db8::1]:80/TCP',
    ]);
  });

  it('are none for a service without an address', () => {
    for (const clusterIP of ['', 'None']) assert.deepEqual(shown({ clusterIP, type: 'NodePort' }), []);
  });

  it('tell the protocols of a port apart', () => {
    const ports = [
      { name: 'a', port: 53, protocol: 'TCP' as const },
      { name: 'b', port: 53, protocol: 'UDP' as const },
    ];
    assert.deepEqual(shown({ ports }), ['10.0.0.7:53/TCP', '10.0.0.7:53/UDP']);
  });
});

describe('the endpoints of a port', () => {
  const endpoints: Endpoints = {
    kind: 'Endpoints',
    apiVersion: 'v1',
    metadata: { name: 'web' },
    subsets: [
      {
        addresses: [{ ip: '10.1.0.1' }, { ip: '::ffff:10.1.0.2' }],
        notReadyAddresses: [{ ip: '10.1.0.3' }],
        ports: [{ name: 'http', port: 80 }, { name: 'admin', port: 81 }], // prettier-ignore
      },
      { addresses: [{ ip: '10.1.0.2' }, { ip: '10.1.0.4' }], ports: [{ name: 'http', port: 80 }, { port: 82 }] },
    ],
  };

  it('are those that are ready under its name, each once', () => {
    const addresses = readyEndpoints(endpoints, 'http').map(({ ip, port }) => `${ip}:${port}`);
    assert.deepEqual(addresses, ['10.1.0.1:80', '10.1.0.2:80', '10.1.0.4:80']);
    assert.deepEqual(readyEndpoints(endpoints, '').map(({ port }) => port), [82, 82]); // prettier-ignore
    assert.deepEqual(readyEndpoints(endpoints, 'other'), []);
    assert.deepEqual(readyEndpoints(undefined, 'http'), []);
  });
});
