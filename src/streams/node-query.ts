import type { CommandRequest } from './command-streams.ts';

/** What the API server asks a node to do with a command: `/exec/…` and `/attach/…` of the node's endpoint. */
export interface CommandQuery extends CommandRequest {
  /** Empty where a client only joins what runs already. */
  readonly command: readonly string[];
}

/** The names that kubelets have for the streams, so that either side may be another make. */
const streamNames = { stdin: 'input', stdout: 'output', stderr: 'error', tty: 'tty' } as const;
type StreamName = keyof typeof streamNames;

export function writeCommandQuery(request: CommandQuery): URLSearchParams {
  const query = new URLSearchParams();
  for (const [name, parameter] of Object.entries(streamNames)) {
    if (request[name as StreamName]) query.append(parameter, '1');
  }
  for (const word of request.command) query.append('command', word);
  return query;
}

/** As a node reads it. Streams may also be called by the names that the API has for them. */
export function readCommandQuery(query: URLSearchParams): CommandQuery {
  const isAsked = (name: StreamName): boolean => isTrue(query.get(streamNames[name])) || isTrue(query.get(name));
  return {
    stdin: isAsked('stdin'),
    stdout: isAsked('stdout'),
    stderr: isAsked('stderr'),
    tty: isAsked('tty'),
    command: query.getAll('command'),
  };
}

function isTrue(value: string | null): boolean {
  return value === '1' || value?.toLowerCase() === 'true';
}

/** The ports that a WebSocket client of `/portForward/…` means, in its order; clients that speak SPDY name none. */
export function writePortsQuery(ports: readonly number[]): URLSearchParams {
  return new URLSearchParams(ports.map((port): [string, string] => ['port', String(port)]));
}

/** Undefined when one of them is no port. */
export function readPortsQuery(query: URLSearchParams, name = 'port'): number[] | undefined {
  const texts = query.getAll(name).flatMap((text) => text.split(','));
  const ports = texts.map((text) => (/^\d{1,5}$/.test(text) ? Number(text) : 0));
  return ports.every((port) => port >= 1 && port <= 65535) ? ports : undefined;
}
