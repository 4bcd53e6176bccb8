import { closeOnce } from '../../base/close-once.ts';
import type { Clock } from '../../base/clock.ts';
import type { Ids } from '../../base/ids.ts';
import type { Logger } from '../../base/logger.ts';
import { untilAborted } from '../../base/until-aborted.ts';
import type { Client } from '../../client/client.ts';
import type { Informer, InformerHandler } from '../../client/informer.ts';
import { keyOf } from '../../client/object-name.ts';
import { openEventRecorder } from '../../client/open-event-recorder.ts';
import { SharedInformers } from '../../client/shared-informers.ts';
import { endpoints as endpointsKind, type Endpoints } from '../../kinds/core/endpoints.ts';
import { asIpv4, isIpAddress } from '../../kinds/core/ip-address.ts';
import { service as serviceKind, type Service } from '../../kinds/core/service.ts';
import type { ApiObject } from '../../kinds/meta/object-meta.ts';
import type { AddressManager } from './addresses/address-manager.ts';
import { machineAddresses } from './addresses/machine-addresses.ts';
import { ProblemReports } from './problem-reports.ts';
import { ServiceProxy } from './service-proxy.ts';

export interface RunServiceProxyOptions {
  readonly client: Client;
  readonly clock: Clock;
  readonly ids: Ids;
  readonly logger: Logger;
  /** The node whose services these are; named in events. */
  readonly nodeName: string;
  /** The address on which node ports are opened; all of the machine when absent. */
  readonly nodePortAddress?: string;
  /** Gets the machine the addresses of services; when absent, services are reached at those that it has anyway. */
  readonly addressManager?: AddressManager;
  /** How many sockets may be open for connections, two for each; 16384 when absent. */
  readonly mostSockets?: number;
  /** Local copies to share with others of the process; they stay open. Own ones when absent. */
  readonly informers?: SharedInformers;
  /** Ends the run when it is aborted, as `close` does. */
  readonly signal?: AbortSignal;
}

/** A service proxy at work, from `runServiceProxy` until `close`. */
export interface ServiceProxyRun {
  /** Resolves when the services that are there can be reached, as far as that is possible; rejects when the run ends before. */
  readonly started: Promise<void>;
  /** Resolves when there is nothing left to open, close or tell at this moment. Connections do not count, nor what is tried again later. */
  settled(): Promise<void>;
  /** Ends all connections and everything that was opened. */
  close(): Promise<void>;
}

/**
 * Starts a service proxy: whoever connects to a service on this machine, at its own address or at a node port, is connected with one of its ready
 * endpoints. One proxy serves all nodes of a machine: ports can be opened only once.
 */
export function runServiceProxy(options: RunServiceProxyOptions): ServiceProxyRun {
  const { client, clock, logger, signal, nodeName } = options;
  const nodePortAddress = checkedAddress(options.nodePortAddress);
  const stopping = new AbortController();
  const informers = options.informers ?? new SharedInformers(options);
  const [services, endpoints] = [informers.of(serviceKind), informers.of(endpointsKind)];
  const events = openEventRecorder({ client, clock, logger, source: { component: 'kube-proxy', host: nodeName } });
  const proxy = new ServiceProxy({
    ...options,
    addresses: options.addressManager ?? machineAddresses,
    reports: new ProblemReports({ nodeName, logger, events }),
    nodePortAddress,
    mostSockets: options.mostSockets ?? 16_384,
  });
  let unsubscribe = (): void => {};
  const started = begin();
  started.catch(() => {});

  async function begin(): Promise<void> {
    await untilAborted(Promise.all([services.synced, endpoints.synced]), stopping.signal);
    unsubscribe = follow(proxy, services, endpoints);
    await untilAborted(proxy.settled(), stopping.signal);
  }

  async function end(): Promise<void> {
    stopping.abort(new Error('the service proxy is stopped'));
    await started.catch(() => {});
    unsubscribe();
    if (!options.informers) informers.close();
    await proxy.close();
    await events.close();
  }
  const close = closeOnce(end, {
    signal,
    onFailure: (error) => logger.error('the service proxy did not stop in order', { error }),
  });
  return {
    started,
    async settled() {
      await started;
      while (proxy.isBusy || events.isBusy) {
        await proxy.settled();
        await events.settled();
      }
    },
    close,
  };
}

/** In the form that portals have: empty for all addresses of the machine. */
function checkedAddress(address = ''): string {
  if (address === '' || address === '0.0.0.0' || address === '::') return '';
  if (isIpAddress(address)) return asIpv4(address) ?? address;
  throw new RangeError(
    `node ports cannot be opened on ${JSON.stringify(address)}: give an IP address such as 127.0.0.1`,
  );
}

/** Tells the proxy of every change, until what is returned is called. */
function follow(proxy: ServiceProxy, services: Informer<Service>, endpoints: Informer<Endpoints>): () => void {
  const refresh = (object: ApiObject): void => {
    const key = keyOf(object);
    proxy.set(key, services.get(key), endpoints.get(key));
  };
  const handler: InformerHandler<ApiObject> = {
    added: refresh,
    updated: (_old, object) => refresh(object),
    deleted: refresh,
  };
  const stops = [services.on(handler), endpoints.on(handler)];
  return () => stops.forEach((stop) => stop());
}
