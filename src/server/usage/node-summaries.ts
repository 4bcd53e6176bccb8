import type { IncomingMessage } from 'node:http';
import type { Clock } from '../../base/clock.ts';
import type { Logger } from '../../base/logger.ts';
import type { Node } from '../../kinds/core/node.ts';
import { endpointPort, type NodeConnections } from '../connect/node-connections.ts';
import { sendRequest } from '../connect/send-request.ts';
import { readSummary, type NodeSummary } from './node-summary.ts';

export interface NodeSummariesOptions {
  readonly connections: NodeConnections;
  readonly clock: Clock;
  readonly logger: Logger;
}

/** How long an answer, or the lack of one, stands for all who ask: many clients are no more work for a node than one. */
const freshMs = 2000;
/** Whoever asks about many nodes does not wait long for one that is silent, or stops half-way. */
const answerMs = 5000;
/** More than a thousand pods of a node say. */
const longestAnswer = 16 * 1024 * 1024;

interface Asked {
  /** In ticks: a clock that is set back makes nothing fresh. */
  readonly at: number;
  readonly summary: Promise<NodeSummary | undefined>;
}

/** What the agents of nodes say about usage, asked for when somebody wants to know. */
export class NodeSummaries {
  readonly #options: NodeSummariesOptions;
  /** By name of the node; the oldest first. */
  readonly #asked = new Map<string, Asked>();
  /** Requests under way. */
  readonly #asking = new Set<AbortController>();
  #isClosed = false;

  constructor(options: NodeSummariesOptions) {
    this.#options = options;
  }

  /** Nothing for a node without an agent, and for one whose agent does not answer. */
  async of(node: Readonly<Node>): Promise<NodeSummary | undefined> {
    if (!endpointPort(node)) return undefined;
    const now = this.#options.clock.ticks();
    this.#forgetBefore(now - freshMs);
    const { name = '' } = node.metadata;
    let asked = this.#asked.get(name);
    if (!asked) this.#asked.set(name, (asked = { at: now, summary: this.#ask(node) }));
    return asked.summary;
  }

  close(): void {
    this.#isClosed = true;
    for (const asking of this.#asking) asking.abort();
  }

  #forgetBefore(time: number): void {
    for (const [name, { at }] of this.#asked) {
      if (at > time) return;
      this.#asked.delete(name);
    }
  }

  async #ask(node: Readonly<Node>): Promise<NodeSummary | undefined> {
    const { connections, clock, logger } = this.#options;
    const asking = new AbortController();
    this.#asking.add(asking);
    if (this.#isClosed) asking.abort();
    const timer = clock.after(answerMs, () => asking.abort(new Error(`it takes longer than ${answerMs} ms`)));
    try {
      const sent = { method: 'GET', path: '/stats/summary', headers: { Accept: 'application/json' } };
      const { message } = await sendRequest(connections.endpointOf(node), sent, { clock, signal: asking.signal });
      return readSummary(JSON.parse(await readBody(message)));
    } catch (failure) {
      const error: unknown = asking.signal.aborted ? asking.signal.reason : failure;
      if (!this.#isClosed) logger.warn('a node does not say what it uses', { node: node.metadata.name, error });
      return undefined;
    } finally {
      timer.cancel();
      this.#asking.delete(asking);
    }
  }
}

async function readBody(message: IncomingMessage): Promise<string> {
  if (message.statusCode !== 200) {
    message.destroy();
    throw new Error(`it answered with ${message.statusCode}`);
  }
  const chunks: Buffer[] = [];
  let length = 0;
  for await (const chunk of message as AsyncIterable<Buffer>) {
    length += chunk.length;
    if (length > longestAnswer) throw new Error('its answer is too long');
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
}
