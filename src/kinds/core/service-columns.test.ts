import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { shownCells, type Cells } from '../testing/shown-cells.ts';
import type { ServiceSpec } from './service-spec.ts';
import { service, type Service } from './service.ts';

function show(spec: Partial<ServiceSpec>, status?: Service['status']): Cells {
  const ports = [{ protocol: 'TCP' as const, port: 80, targetPort: 80 }];
  return shownCells(service, { ...service.example, spec: { ports, type: 'ClusterIP', ...spec }, status });
}

describe('the columns of a service', () => {
  it('show its address, ports and pods', () => {
    const cells = show({ clusterIP: '10.0.0.7', selector: { tier: 'front', app: 'web' } });
    assert.deepEqual([cells['Type'], cells['Cluster-IP'], cells['External-IP']], ['ClusterIP', '10.0.0.7', '<none>']);
    assert.deepEqual([cells['Port(s)'], cells['Selector']], ['80/TCP', 'app=web,tier=front']);
  });

  it('show node ports behind the port', () => {
    const ports = [
      { protocol: 'TCP' as const, port: 80, nodePort: 30_080 },
      { protocol: 'UDP' as const, port: 53 },
    ];
    assert.equal(show({ type: 'NodePort', ports })['Port(s)'], '80:30080/TCP,53/UDP');
    assert.equal(show({ ports: [] })['Port(s)'], '<none>');
  });

  it('show external addresses, the balancer first', () => {
    const externalIPs = ['192.0.2.7'];
    const status = { loadBalancer: { ingress: [{ hostname: 'lb.example.com' }, { ip: '192.0.2.1' }] } };
    assert.equal(show({ externalIPs })['External-IP'], '192.0.2.7');
    assert.equal(show({ type: 'LoadBalancer' })['External-IP'], '<pending>');
    const balanced = show({ type: 'LoadBalancer', externalIPs }, status);
    assert.equal(balanced['External-IP'], 'lb.example.com,192.0.2.1,192.0.2.7');
  });

  it('say when there is no address', () => {
    assert.equal(show({ clusterIP: undefined })['Cluster-IP'], '<none>');
    assert.equal(show({ clusterIP: 'None' })['Cluster-IP'], 'None');
  });
});
