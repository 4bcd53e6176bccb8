import { every, type Clock, type Timer } from '../../base/clock.ts';
import type { Logger } from '../../base/logger.ts';
import { Backoff } from '../../client/backoff.ts';
import { changeObject } from '../../client/change-object.ts';
import type { Reader, Writer } from '../../client/client.ts';
import { pause } from '../../client/pause.ts';
import { node as nodeKind, type Node } from '../../kinds/core/node.ts';
import { ApiError, isApiError } from '../../kinds/meta/api-error.ts';
import { isDiskFull } from './machine-info.ts';
import { labelsOf, newNode, reportedStatus, type NodeHealth, type NodeIdentity } from './node-object.ts';
import { WorkTracker } from './work-tracker.ts';

export interface NodeReportOptions {
  readonly client: Pick<Reader, 'get'> & Pick<Writer, 'create' | 'update' | 'updateStatus'>;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly identity: NodeIdentity;
  readonly heartbeatMs: number;
  /** Aborted when nobody is to report any more. */
  readonly signal: AbortSignal;
}

const joinRetries = { firstMs: 500, longestMs: 10_000 };

/**
 * Lets a node join, and say from time to time that it is well. A node that somebody deletes stays away until its agent starts again: that is how a
 * machine is taken out.
 */
export class NodeReport {
  readonly #options: NodeReportOptions;
  readonly #work = new WorkTracker();
  #node: Node | undefined;
  #timer: Timer | undefined;
  #isReporting = false;

  constructor(options: NodeReportOptions) {
    this.#options = options;
  }

  /** The node as it was last written. There is one once it has joined. */
  get node(): Node {
    if (!this.#node) throw new Error('the node has not joined yet');
    return this.#node;
  }

  get isBusy(): boolean {
    return this.#work.isBusy;
  }

  settled(): Promise<void> {
    return this.#work.settled();
  }

  /** A server that does not answer is asked again and again; one that refuses makes this fail. */
  async join(): Promise<void> {
    const { clock, logger, signal } = this.#options;
    const backoff = new Backoff(joinRetries);
    for (;;) {
      try {
        this.#node = await this.#join();
        return;
      } catch (error) {
        signal.throwIfAborted();
        if (!(error instanceof ApiError) || error.code < 500) throw error;
        logger.warn('the node could not join; trying again', { error });
        await pause(clock, backoff.next(), signal);
      }
    }
  }

  start(): void {
    const { clock, heartbeatMs } = this.#options;
    this.#timer = every(clock, heartbeatMs, () => {
      // A server that is slow to answer is not asked twice at the same time.
      if (!this.#isReporting) this.#work.run(() => this.#report());
    });
  }

  close(): Promise<void> {
    this.#timer?.cancel();
    return this.#work.settled();
  }

  async #join(): Promise<Node> {
    const { client, identity } = this.#options;
    try {
      return await client.create(nodeKind, newNode(identity, await this.#health()));
    } catch (error) {
      if (!isApiError(error, 409)) throw error;
      await this.#writeLabels();
      return this.#change();
    }
  }

  async #report(): Promise<void> {
    this.#isReporting = true;
    try {
      this.#node = await this.#change();
    } catch (error) {
      const { signal, logger } = this.#options;
      if (!signal.aborted && !isApiError(error, 404)) logger.warn('the node could not report', { error });
    } finally {
      this.#isReporting = false;
    }
  }

  /** A node that was there before may have been started with other labels. */
  async #writeLabels(): Promise<void> {
    const { client, identity } = this.#options;
    const wanted = labelsOf(identity);
    await changeObject(client, {
      kind: nodeKind,
      name: { name: identity.name },
      change({ metadata }) {
        if (Object.entries(wanted).every(([label, value]) => metadata.labels?.[label] === value)) return false;
        metadata.labels = { ...metadata.labels, ...wanted };
        return true;
      },
    });
  }

  async #change(): Promise<Node> {
    const { client, identity } = this.#options;
    const health = await this.#health();
    return changeObject(client, {
      kind: nodeKind,
      name: { name: identity.name },
      part: 'status',
      change(node) {
        node.status = reportedStatus(node, identity, health);
      },
    });
  }

  async #health(): Promise<NodeHealth> {
    return { now: this.#options.clock.now(), isDiskFull: await isDiskFull('/') };
  }
}
