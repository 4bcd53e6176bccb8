/** Links of what is proxied to, as they are written there, become links that lead through the proxy again. */
export interface LinkRewriting {
  /** The path under which the other side appears here, without a slash at its end. */
  readonly prefix: string;
  /** `host:port` of the other side, as it knows itself. */
  readonly authority: string;
  readonly scheme: 'http' | 'https';
}

const linkShape = /^(?:(?:(https?):)?\/\/([^/?#]*))?(\/[^?#]*)?(.*)$/is;

/** Links to other places, links relative to the page, and those that lead through the proxy already, stay as they are. */
export function rewriteLink(link: string, { prefix, authority, scheme }: LinkRewriting): string {
  const [, linkScheme = scheme, host, path, rest = ''] = linkShape.exec(link) ?? [];
  if (host === undefined ? path === undefined : !isSameHost(linkScheme, host, authority)) return link;
  const target = path ?? '/';
  const isInside = target === prefix || target.startsWith(`${prefix}/`);
  return `${isInside ? '' : prefix}${target}${rest}`;
}

/** The usual port need not be written. */
function isSameHost(scheme: string, host: string, authority: string): boolean {
  const port = scheme.toLowerCase() === 'https' ? 443 : 80;
  const whole = /:\d+$/.test(host) ? host : `${host}:${port}`;
  return whole.toLowerCase() === authority.toLowerCase();
}
