import type { Duplex } from 'node:stream';
import type { Status } from '../../kinds/meta/status.ts';
import type { CommandRequest, CommandStreams, TerminalSize } from '../command-streams.ts';
import { tellSize } from '../terminal-size.ts';
import type { Upgrade } from '../upgrade.ts';
import { acceptWebSocket } from './accept-web-socket.ts';
import type { ChannelSocket } from './channel-socket.ts';

const protocols = [
  'v5.channel.k8s.io',
  'v4.channel.k8s.io',
  'channel.k8s.io',
  'base64.channel.k8s.io',
  'v4.base64.channel.k8s.io',
];
const numbers = { stdin: 0, stdout: 1, stderr: 2, error: 3, resize: 4 };

/** Speaks WebSocket with a client that runs or attaches to a command: one numbered channel each for stdin, stdout, stderr, error and resize. */
export async function acceptWebSocketCommand(upgrade: Upgrade, request: CommandRequest): Promise<CommandStreams> {
  const { channels, protocol } = await acceptWebSocket(upgrade, protocols, Object.keys(numbers).length);
  return new WebSocketCommand(channels, request, protocol);
}

class WebSocketCommand implements CommandStreams {
  readonly stdin: Duplex | undefined;
  readonly stdout: Duplex | undefined;
  readonly stderr: Duplex | undefined;
  readonly closed: Promise<void>;
  readonly #channels: ChannelSocket;
  readonly #tellsStatus: boolean;

  constructor(channels: ChannelSocket, { stdin, stdout, stderr, tty }: CommandRequest, protocol: string) {
    this.#channels = channels;
    this.closed = channels.closed;
    this.stdin = stdin ? channels.channel(numbers.stdin) : undefined;
    this.stdout = stdout ? channels.channel(numbers.stdout) : undefined;
    this.stderr = stderr && !tty ? channels.channel(numbers.stderr) : undefined;
    this.#tellsStatus = protocol.startsWith('v4.') || protocol.startsWith('v5.');
  }

  onResize(listener: (size: TerminalSize) => void): void {
    this.#channels
      .channel(numbers.resize)
      .on('data', (message: Buffer) => tellSize(listener, message.toString('utf8')));
  }

  async finish(outcome: Status): Promise<void> {
    await Promise.all([flushed(this.stdout), flushed(this.stderr)]);
    const message = this.#message(outcome);
    // Whoever left in the meantime hears nothing any more.
    if (message !== '') await this.#channels.send(numbers.error, Buffer.from(message)).catch(() => undefined);
    this.#channels.close();
    await this.closed;
  }

  ping(): void {
    this.#channels.ping();
  }

  close(): void {
    this.#channels.close(1001);
  }

  #message(outcome: Status): string {
    if (this.#tellsStatus) return JSON.stringify(outcome);
    return outcome.status === 'Success' ? '' : (outcome.message ?? 'the command failed');
  }
}

function flushed(channel: Duplex | undefined): Promise<void> {
  if (!channel || channel.destroyed || channel.writableEnded) return Promise.resolve();
  return new Promise((resolve) => {
    channel.once('close', resolve);
    channel.end(() => resolve());
  });
}
