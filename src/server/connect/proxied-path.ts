import type { IncomingMessage } from 'node:http';
import type { Exchange } from '../exchange.ts';

/** What a proxied request is for on the other side, and what stands before that on this one. */
export interface ProxiedPath {
  /** With the query; begins with a slash. */
  readonly sent: string;
  /** The path up to where the other side's own begins, without a slash at its end. */
  readonly prefix: string;
}

/** The path behind `/proxy`, or the one that the query names; the rest of the query goes along as it was sent. */
export function proxiedPath({ request, target, query }: Exchange): ProxiedPath {
  const { path, text } = splitQuery(request);
  const { rest } = target;
  if (rest !== '') return { sent: `${rest}${text && `?${text}`}`, prefix: path.slice(0, -rest.length) };
  const named = target.isOldProxy ? null : query.get('path');
  if (named === null) return { sent: `/${text && `?${text}`}`, prefix: path };
  const others = text
    .split('&')
    .filter((pair) => !new URLSearchParams(pair).has('path'))
    .join('&');
  const start = named.startsWith('/') ? encoded(named) : `/${encoded(named)}`;
  return { sent: `${start}${others && `${start.includes('?') ? '&' : '?'}${others}`}`, prefix: path };
}

function splitQuery({ url = '/' }: IncomingMessage): { readonly path: string; readonly text: string } {
  const whole = url.startsWith('/') ? url : url.replace(/^https?:\/\/[^/?#]*/i, '');
  const mark = whole.indexOf('?');
  return mark < 0 ? { path: whole, text: '' } : { path: whole.slice(0, mark), text: whole.slice(mark + 1) };
}

/** What a query's value may hold and a request line may not. */
function encoded(path: string): string {
  return path.replace(/[^\x21-\x7e]+|#/g, encodeURIComponent);
}
