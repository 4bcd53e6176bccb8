import { Agent as HttpAgent, type RequestOptions } from 'node:http';
import { Agent as HttpsAgent } from 'node:https';

/** How a server is reached and what is shown to it. Certificates and keys are PEM. */
export interface HttpAccess {
  /** `https://host:port`, or `http://` for a server without TLS; may end in a path that all requests begin with. */
  readonly server: string;
  /** Who vouches for the server; the machine's usual authorities when absent. */
  readonly authority?: string;
  readonly certificate?: string;
  readonly key?: string;
  readonly token?: string;
  readonly username?: string;
  readonly password?: string;
  /** Takes any certificate: whoever is in between can read and change everything. */
  readonly insecureSkipTlsVerify?: boolean;
  /** The name that the server's certificate is for, where it is not the host's. */
  readonly tlsServerName?: string;
}

/** The same connections for all requests of a client. */
export interface HttpOrigin {
  readonly isSecure: boolean;
  readonly host: Pick<RequestOptions, 'hostname' | 'port'>;
  /** What stands before every path; mostly empty. */
  readonly basePath: string;
  readonly agent: HttpAgent;
  readonly authorization: string | undefined;
}

/** Refuses with a `RangeError` what no connection can be made with. Opens nothing yet. */
export function httpOrigin(access: HttpAccess): HttpOrigin {
  const url = parseServer(access.server);
  const isSecure = url.protocol === 'https:';
  return {
    isSecure,
    host: { hostname: url.hostname.replace(/^\[(.*)\]$/, '$1'), port: url.port || (isSecure ? 443 : 80) },
    basePath: url.pathname.replace(/\/+$/, ''),
    agent: isSecure ? secureAgent(access) : new HttpAgent({ keepAlive: true }),
    authorization: authorizationOf(access),
  };
}

function parseServer(server: string): URL {
  const url = URL.canParse(server) ? new URL(server) : undefined;
  if (url?.protocol === 'https:' || url?.protocol === 'http:') return url;
  throw new RangeError(`${JSON.stringify(server)} is no address of a server; use one such as https://127.0.0.1:6443`);
}

function secureAgent(access: HttpAccess): HttpsAgent {
  if ((access.certificate === undefined) !== (access.key === undefined)) {
    throw new RangeError('a client certificate and its key are given together or not at all');
  }
  return new HttpsAgent({
    keepAlive: true,
    ca: access.authority,
    cert: access.certificate,
    key: access.key,
    rejectUnauthorized: !access.insecureSkipTlsVerify,
    servername: access.tlsServerName,
  });
}

function authorizationOf({ token, username, password = '' }: HttpAccess): string | undefined {
  if (token !== undefined) return `Bearer ${token}`;
  if (username === undefined) return undefined;
  return `Basic ${Buffer.from(`${username}:${password}`).toString('base64')}`;
}
