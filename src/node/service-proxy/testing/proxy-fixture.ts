import { openClient, type ClientFixture } from '../../../client/testing/client-fixture.ts';
import { endpoints as endpointsKind } from '../../../kinds/core/endpoints.ts';
import { event as eventKind, type Event } from '../../../kinds/core/event.ts';
import type { ServiceSpec } from '../../../kinds/core/service-spec.ts';
import { service as serviceKind, type Service } from '../../../kinds/core/service.ts';
import type { Endpoint } from '../endpoint.ts';
import { runServiceProxy, type RunServiceProxyOptions, type ServiceProxyRun } from '../run-service-proxy.ts';
import { serviceAddress } from './loopback.ts';

export interface ProxyFixture extends ClientFixture {
  readonly run: ServiceProxyRun;
  /** Creates a service of namespace `one`, at `serviceAddress` unless it says otherwise. */
  createService(name: string, spec: Partial<ServiceSpec>): Promise<Service>;
  /** Says who answers for a service, on its port without a name. */
  setEndpoints(name: string, endpoints: readonly Endpoint[], portName?: string): Promise<void>;
  deleteService(name: string): Promise<void>;
  eventsOf(name: string): Promise<Event[]>;
}

/** A service proxy with real sockets, on the real registry in memory, in time that stands still until it is passed. */
export async function openProxy(options: Partial<RunServiceProxyOptions> = {}): Promise<ProxyFixture> {
  const fixture = await openClient();
  const { client } = fixture;
  const run = runServiceProxy({ ...fixture, nodeName: 'node-1', ...options });
  await run.started;
  return {
    ...fixture,
    run,
    async createService(name, spec) {
      const created = await client.create(serviceKind, {
        kind: 'Service',
        apiVersion: 'v1',
        metadata: { name, namespace: 'one' },
        spec: { clusterIP: serviceAddress, ports: [], ...spec },
      });
      await run.settled();
      return created;
    },
    async setEndpoints(name, endpoints, portName) {
      const subsets = endpoints.map(({ ip, port }) => ({
        addresses: [{ ip }],
        ports: [{ name: portName, port, protocol: 'TCP' as const }],
      }));
      const metadata = { name, namespace: 'one' };
      await client.update(endpointsKind, { kind: 'Endpoints', apiVersion: 'v1', metadata, subsets });
      await run.settled();
    },
    async deleteService(name) {
      await client.delete(serviceKind, { namespace: 'one', name });
      await run.settled();
    },
    async eventsOf(name) {
      const { items } = await client.list(eventKind, { namespace: 'one' });
      return items.filter(({ involvedObject }) => involvedObject.name === name);
    },
    async close() {
      await run.close();
      await fixture.close();
    },
  };
}
