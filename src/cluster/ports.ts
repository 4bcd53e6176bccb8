import type { CertificateKeeper, Certificates } from '../access/certificates/certificate-keeper.ts';
import type { ApiServer } from '../server/api-server.ts';
import { listen, type Listener, type ListenOptions } from '../server/http/listener.ts';
import type { ListenerTls } from '../server/http/tls-options.ts';
import type { ClosingList } from './closing-list.ts';
import { loopback, urlOf } from './own-addresses.ts';
import type { Settings } from './settings.ts';

/** Where a cluster is served. */
export interface Ports {
  readonly secure: Listener;
  readonly insecure?: Listener;
  /** Serves TLS under the same port of another address as well. */
  alsoAt(address: string): Promise<void>;
}

export interface OpenPortsOptions {
  readonly settings: Settings;
  readonly apiServer: ApiServer;
  readonly keeper: CertificateKeeper;
  readonly opened: ClosingList;
}

export async function openPorts({ settings, apiServer, keeper, opened }: OpenPortsOptions): Promise<Ports> {
  const { logger, clock, insecurePort } = settings;
  const serving = {
    handler: (request, response) => apiServer.handler(request, response),
    onUpgrade: (request, socket, head) => apiServer.onUpgrade(request, socket, head),
    logger,
    clock,
  } satisfies Partial<ListenOptions>;
  const open = async (options: ListenOptions): Promise<Listener> => {
    const listener = await listen(options);
    opened.add(() => listener.close());
    return listener;
  };
  const { bindAddress: address, securePort: port } = settings;
  const secure = await open({ ...serving, address, port, tls: tlsFrom(keeper.current) });
  keeper.onRenewal((certificates) => secure.renewTls(tlsFrom(certificates)));
  const alsoAt = async (other: string): Promise<void> => {
    const listener = await open({ ...serving, address: other, port: secure.port, tls: tlsFrom(keeper.current) });
    keeper.onRenewal((certificates) => listener.renewTls(tlsFrom(certificates)));
  };
  if (insecurePort === undefined) return { secure, alsoAt };
  const insecure = await open({ ...serving, address: loopback, port: insecurePort });
  logger.warn('everybody on this machine may do everything through the plain HTTP port', {
    url: urlOf('http', insecure),
  });
  return { secure, insecure, alsoAt };
}

function tlsFrom({ serving, authority }: Certificates): ListenerTls {
  return { cert: serving.certificate, key: serving.key, ca: authority, requestClientCert: true };
}
