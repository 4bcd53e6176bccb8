import { badRequest } from '../../kinds/meta/api-error.ts';

/** What a proxy path names: `name`, `name:port` or `scheme:name:port`. */
export interface ProxyName {
  readonly scheme: 'http' | 'https';
  readonly name: string;
  /** A number or a port's name; empty for the usual one. */
  readonly port: string;
}

export function parseProxyName(text: string): ProxyName {
  const parts = text.split(':');
  const [scheme, name, port = ''] = parts.length === 3 ? parts : ['', ...parts];
  if (parts.length > 3 || !name || (scheme && scheme !== 'http' && scheme !== 'https')) {
    throw badRequest(`${JSON.stringify(text)} must be a name, name:port or scheme:name:port`);
  }
  return { scheme: scheme === 'https' ? 'https' : 'http', name, port };
}

export function isPortNumber(text: string): boolean {
  return /^\d+$/.test(text);
}

export function parsePort(text: string): number {
  const port = /^\d{1,5}$/.test(text) ? Number(text) : 0;
  if (port < 1 || port > 65535) throw badRequest(`${JSON.stringify(text)} is no port`);
  return port;
}
