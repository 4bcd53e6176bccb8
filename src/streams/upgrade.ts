import type { IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';

/** A request that asks for another protocol, with the connection it came over. */
export interface Upgrade {
  readonly request: IncomingMessage;
  readonly socket: Duplex;
  /** What was read of the new protocol already. */
  readonly head: Buffer;
}

/** The first of the sub-protocols that the client offers and we speak. A header can come several times, and as a list. */
export function chooseProtocol(
  offered: string | readonly string[] | undefined,
  spoken: readonly string[],
): string | undefined {
  const names = [offered ?? []].flat().flatMap((text) => text.split(',').map((name) => name.trim()));
  return names.find((name) => spoken.includes(name));
}

/** Answers that the protocol changes; the connection is the caller's from now on. */
export function acceptUpgrade(socket: Duplex, headers: Readonly<Record<string, string>>): void {
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
  socket.write(`HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\n${lines.join('')}\r\n`);
}
