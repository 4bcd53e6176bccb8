import { every, type Clock, type Timer } from '../../base/clock.ts';
import type { Logger } from '../../base/logger.ts';
import { Backoff } from '../../client/backoff.ts';
import { changeObject } from '../../client/change-object.ts';
import type { Reader, Writer } from '../../client/client.ts';
import type { Informer } from '../../client/informer.ts';
import { pause } from '../../client/pause.ts';
import { WorkQueue } from '../../client/work-queue.ts';
import { node as nodeKind, type Node } from '../../kinds/core/node.ts';
import { ApiError, isApiError } from '../../kinds/meta/api-error.ts';
import { unreachableAnnotation } from './annotations.ts';
import { newNode, reportedStatus, type NodeIdentity } from './node-object.ts';
import type { SimulatedNode } from './simulated-node.ts';

export interface NodeReportsOptions {
  readonly client: Pick<Reader, 'get'> & Pick<Writer, 'create' | 'update' | 'updateStatus'>;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly informer: Informer<Node>;
  readonly nodes: ReadonlyMap<string, SimulatedNode>;
  readonly heartbeatMs: number;
  readonly parallel: number;
  /** Aborted when nobody is to report any more. */
  readonly signal: AbortSignal;
}

const joinRetries = { firstMs: 500, longestMs: 10_000 };

/** Whether the node is to say nothing. */
export function isUnreachable({ metadata }: Node): boolean {
  return metadata.annotations?.[unreachableAnnotation] === 'true';
}

/**
 * Lets simulated nodes join, and say from time to time that they are well, one after the other over the whole period. A node that somebody
 * deletes stays away: that is how a machine is taken out.
 */
export class NodeReports {
  readonly #options: NodeReportsOptions;
  readonly #queue: WorkQueue;
  readonly #names: readonly string[];
  #next = 0;
  #timer: Timer | undefined;
  #unsubscribe = (): void => {};

  constructor(options: NodeReportsOptions) {
    this.#options = options;
    this.#names = [...options.nodes.keys()];
    const { clock, parallel } = options;
    this.#queue = new WorkQueue({ clock, parallel, work: (name) => this.#report(name) });
  }

  get isBusy(): boolean {
    return !this.#queue.isIdle;
  }

  settled(): Promise<void> {
    return this.#queue.idle();
  }

  /** Resolves when every node has joined. A server that does not answer is asked again and again; one that refuses makes this fail. */
  async join(): Promise<void> {
    const names = this.#names.values();
    const failing = new AbortController();
    const stopped = AbortSignal.any([this.#options.signal, failing.signal]);
    // All take from the same iterator, so each name is taken once.
    const worker = async (): Promise<void> => {
      for (const name of names) {
        stopped.throwIfAborted();
        await this.#joinWithRetries(name, stopped);
      }
    };
    const workers = Array.from({ length: this.#options.parallel }, () =>
      worker().catch((error: unknown) => failing.abort(error)),
    );
    await Promise.all(workers);
    stopped.throwIfAborted();
  }

  start(): void {
    const { clock, heartbeatMs, informer, nodes } = this.#options;
    if (this.#names.length === 0) return;
    this.#timer = every(clock, heartbeatMs / this.#names.length, () => {
      this.#queue.add(this.#names[this.#next]!);
      this.#next = (this.#next + 1) % this.#names.length;
    });
    // A node that can speak again does so at once.
    this.#unsubscribe = informer.on({
      updated: (old, node) => {
        const { name = '' } = node.metadata;
        if (nodes.has(name) && isUnreachable(old) && !isUnreachable(node)) this.#queue.add(name);
      },
    });
  }

  close(): Promise<void> {
    this.#timer?.cancel();
    this.#unsubscribe();
    return this.#queue.close();
  }

  async #joinWithRetries(name: string, signal: AbortSignal): Promise<void> {
    const backoff = new Backoff(joinRetries);
    for (;;) {
      try {
        return await this.#join(name);
      } catch (error) {
        signal.throwIfAborted();
        if (!(error instanceof ApiError) || error.code < 500) throw error;
        this.#options.logger.warn('a simulated node could not join; trying again', { node: name, error });
        await pause(this.#options.clock, backoff.next(), signal);
      }
    }
  }

  async #join(name: string): Promise<void> {
    const { client, clock, nodes } = this.#options;
    const { identity } = nodes.get(name)!;
    try {
      await client.create(nodeKind, newNode(identity, clock.now()));
    } catch (error) {
      if (!isApiError(error, 409)) throw error;
      await this.#change(identity);
    }
  }

  async #report(name: string): Promise<void> {
    const { client, clock, informer, nodes } = this.#options;
    const node = informer.get(name);
    if (!node || isUnreachable(node)) return;
    const { identity } = nodes.get(name)!;
    try {
      await client.updateStatus(nodeKind, { ...node, status: reportedStatus(node, identity, clock.now()) });
    } catch (error) {
      if (isApiError(error, 404)) return;
      // Somebody else wrote, so the copy is too old.
      if (isApiError(error, 409)) await this.#change(identity).catch((error: unknown) => this.#tell(name, error));
      else this.#tell(name, error);
    }
  }

  #tell(name: string, error: unknown): void {
    const { signal, logger } = this.#options;
    if (!signal.aborted) logger.warn('a simulated node could not report', { node: name, error });
  }

  async #change(identity: NodeIdentity): Promise<void> {
    const { client, clock } = this.#options;
    await changeObject(client, {
      kind: nodeKind,
      name: { name: identity.name },
      part: 'status',
      change(node) {
        if (isUnreachable(node)) return false;
        node.status = reportedStatus(node, identity, clock.now());
        return true;
      },
    });
  }
}
