import type { Clock } from '../../base/clock.ts';
import type { Status } from '../../kinds/meta/status.ts';
import { badRequest } from '../../kinds/meta/api-error.ts';
import type { CommandRequest, CommandStreams, TerminalSize } from '../command-streams.ts';
import type { SessionStream } from '../session.ts';
import { acceptUpgrade, chooseProtocol, type Upgrade } from '../upgrade.ts';
import { tellSize } from '../terminal-size.ts';
import { SpdySession } from './spdy-session.ts';

const latest = 'v4.channel.k8s.io';
/** The newest first is the client's business: it offers them in its order of preference. */
const protocols = [latest, 'v3.channel.k8s.io', 'v2.channel.k8s.io', 'channel.k8s.io'];
/** How long a client may take to open the streams that it asked for. */
const openingMs = 30_000;

/** Speaks SPDY with a client that runs or attaches to a command: one stream each for error, stdin, stdout, stderr and resize. */
export async function acceptSpdyCommand(
  upgrade: Upgrade,
  request: CommandRequest,
  clock: Clock,
): Promise<CommandStreams> {
  const { request: http, socket, head } = upgrade;
  const offered = http.headers['x-stream-protocol-version'] ?? 'channel.k8s.io';
  const protocol = chooseProtocol(offered, protocols);
  if (!protocol)
    throw badRequest(`none of the protocols ${String(offered)} is spoken here; use ${protocols.join(', ')}`);
  acceptUpgrade(socket, { Upgrade: 'SPDY/3.1', 'X-Stream-Protocol-Version': protocol });
  const session = new SpdySession(socket, 'server', head);
  const streams = await openedStreams(session, wantedTypes(request, protocol), clock);
  return new SpdyCommand({ session, streams, protocol, clock });
}

function wantedTypes({ stdin, stdout, stderr, tty }: CommandRequest, protocol: string): readonly string[] {
  const hasResize = tty && (protocol === latest || protocol === 'v3.channel.k8s.io');
  return [
    'error',
    ...(stdin ? ['stdin'] : []),
    ...(stdout ? ['stdout'] : []),
    ...(stderr && !tty ? ['stderr'] : []),
    ...(hasResize ? ['resize'] : []),
  ];
}

function openedStreams(
  session: SpdySession,
  wanted: readonly string[],
  clock: Clock,
): Promise<Map<string, SessionStream>> {
  const streams = new Map<string, SessionStream>();
  return new Promise((resolve, reject) => {
    const timer = clock.after(openingMs, () => {
      session.close();
      reject(
        badRequest(`the client did not open its streams: ${wanted.filter((type) => !streams.has(type)).join(', ')}`),
      );
    });
    session.onStream((stream) => {
      const type = stream.headers['streamtype'] ?? '';
      if (!wanted.includes(type) || streams.has(type)) {
        stream.destroy();
        return;
      }
      streams.set(type, stream);
      if (streams.size < wanted.length) return;
      timer.cancel();
      resolve(streams);
    });
    void session.closed.then(() => {
      timer.cancel();
      reject(badRequest('the client left before it had opened its streams'));
    });
  });
}

interface SpdyCommandParts {
  readonly session: SpdySession;
  readonly streams: ReadonlyMap<string, SessionStream>;
  readonly protocol: string;
  readonly clock: Clock;
}

class SpdyCommand implements CommandStreams {
  readonly stdin: SessionStream | undefined;
  readonly stdout: SessionStream | undefined;
  readonly stderr: SessionStream | undefined;
  readonly closed: Promise<void>;
  readonly #session: SpdySession;
  readonly #error: SessionStream;
  readonly #resize: SessionStream | undefined;
  readonly #protocol: string;

  readonly #clock: Clock;

  constructor({ session, streams, protocol, clock }: SpdyCommandParts) {
    this.#clock = clock;
    this.#session = session;
    this.closed = session.closed;
    this.stdin = streams.get('stdin');
    this.stdout = streams.get('stdout');
    this.stderr = streams.get('stderr');
    this.#error = streams.get('error')!;
    this.#resize = streams.get('resize');
    this.#protocol = protocol;
    // Clients end the directions that they do not use; what they send there is nobody's.
    for (const stream of [this.stdout, this.stderr, this.#error]) stream?.resume();
  }

  onResize(listener: (size: TerminalSize) => void): void {
    let rest = '';
    this.#resize?.on('data', (chunk: Buffer) => {
      const lines = (rest + chunk.toString('utf8')).split('\n');
      rest = lines.pop()!.slice(0, 1024);
      for (const line of lines) tellSize(listener, line);
    });
  }

  async finish(outcome: Status): Promise<void> {
    await Promise.all([ended(this.stdout), ended(this.stderr)]);
    await ended(this.#error, this.#message(outcome));
    // The client closes when it has heard everything; one that does not is not waited for.
    const timer = this.#clock.after(openingMs, () => this.close());
    await this.closed;
    timer.cancel();
  }

  ping(): void {
    this.#session.ping();
  }

  close(): void {
    this.#session.close();
  }

  /** From version 4 on the whole status, before that the text of a failure. */
  #message(outcome: Status): string {
    if (this.#protocol === latest) return JSON.stringify(outcome);
    return outcome.status === 'Success' ? '' : (outcome.message ?? 'the command failed');
  }
}

/** Sends the last bytes and waits until the connection has taken them, or is gone. */
function ended(stream: SessionStream | undefined, last?: string): Promise<void> {
  if (!stream || stream.destroyed || stream.writableEnded) return Promise.resolve();
  return new Promise((resolve) => {
    stream.once('close', resolve);
    stream.end(last, () => resolve());
  });
}
