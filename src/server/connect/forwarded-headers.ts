import type { IncomingMessage, OutgoingHttpHeaders } from 'node:http';

/** Headers that belong to one connection only. */
const ofConnection: ReadonlySet<string> = new Set([
  'connection',
  'expect',
  'keep-alive',
  'proxy-authenticate',
  'proxy-authorization',
  'proxy-connection',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
]);

/** What a client proves itself with, and whom it claims to be: both are for this server, which has looked at them. */
const ofCaller = /^(?:authorization$|impersonate-|x-remote-)/;

/** Some clients have no other place for a token than among the sub-protocols of a WebSocket. */
const tokenProtocol = /^base64url\.bearer\.authorization\.k8s\.io\./i;

/** What of a request goes on to what is proxied to. */
export function requestHeaders(request: IncomingMessage): OutgoingHttpHeaders {
  const headers = forwarded(request, (name) => !ofCaller.test(name) && name !== 'host');
  const protocols = headers['sec-websocket-protocol'];
  if (protocols !== undefined) headers['sec-websocket-protocol'] = withoutTokens(protocols);
  const from = request.socket.remoteAddress;
  const before = request.headers['x-forwarded-for'];
  if (from) headers['x-forwarded-for'] = before ? `${String(before)}, ${from}` : from;
  return headers;
}

/** What of an answer goes back to the client. */
export function answerHeaders(answer: IncomingMessage): OutgoingHttpHeaders {
  return forwarded(answer, () => true);
}

function forwarded(message: IncomingMessage, isWanted: (name: string) => boolean): OutgoingHttpHeaders {
  const named = new Set((message.headers.connection ?? '').split(',').map((name) => name.trim().toLowerCase()));
  const headers: OutgoingHttpHeaders = {};
  for (const [name, values = []] of Object.entries(message.headersDistinct)) {
    if (ofConnection.has(name) || named.has(name) || !isWanted(name)) continue;
    headers[name] = values.length === 1 ? values[0] : values;
  }
  return headers;
}

function withoutTokens(header: number | string | readonly string[]): string {
  const protocols = String(header).split(',').map((name) => name.trim()); // prettier-ignore
  return protocols.filter((name) => !tokenProtocol.test(name)).join(', ');
}
