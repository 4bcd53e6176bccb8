import type { Clock } from '../../base/clock.ts';
import type { Node } from '../../kinds/core/node.ts';
import { readyCondition } from './ready-condition.ts';

/** How long nodes may be silent, and what happens when. */
export interface NodeTimes {
  /** A node that has reported before is given up after so long; 40 seconds unless given. */
  readonly graceMs: number;
  /** A new node has so long to report first; a minute unless given. */
  readonly startupGraceMs: number;
  /** Pods are taken away from a node that has not been ready for so long; 5 minutes unless given. */
  readonly evictionMs: number;
  /** How many nodes a second lose their pods at most; one in ten seconds unless given. */
  readonly evictionsPerSecond: number;
}

export const usualTimes: NodeTimes = {
  graceMs: 40_000,
  startupGraceMs: 60_000,
  evictionMs: 5 * 60_000,
  evictionsPerSecond: 0.1,
};

/** What is known of a node from watching it. Moments are our own ticks: what clocks show may go wrong, on nodes and here. */
export interface NodeRecord {
  readonly uid: string | undefined;
  /** The last report. */
  heartbeat: string | undefined;
  /** When that report was first seen. */
  heardAt: number;
  /** Since when the node is not ready, or was last heard of; absent while it is ready. */
  unreadySince: number | undefined;
  /** Whether its pods were marked, since then. */
  podsMarked: boolean;
  /** Whether its pods were taken away, since then. */
  podsEvicted: boolean;
  /** Whether pods that were taken away have yet to end. */
  podsEnd: boolean;
}

export function newRecord(node: Node, clock: Clock): NodeRecord {
  const heartbeat = readyCondition(node)?.lastHeartbeatTime;
  const age = clock.now() - Date.parse(node.metadata.creationTimestamp ?? '');
  return {
    uid: node.metadata.uid,
    heartbeat,
    // Reports that came before we were there may be old, so that the node gets its whole time.
    heardAt: clock.ticks() - (readyCondition(node) || !(age > 0) ? 0 : age),
    unreadySince: undefined,
    podsMarked: false,
    podsEvicted: false,
    podsEnd: false,
  };
}

/** Notes what a node says of itself. `now` is in ticks, here and below. */
export function observe(record: NodeRecord, node: Node, now: number): void {
  const ready = readyCondition(node);
  if (ready?.lastHeartbeatTime !== record.heartbeat) {
    record.heartbeat = ready?.lastHeartbeatTime;
    record.heardAt = now;
  }
  if (ready?.status === 'True') {
    Object.assign(record, { unreadySince: undefined, podsMarked: false, podsEvicted: false, podsEnd: false });
  } else if (ready) {
    // A node that has yet to report is not one that failed.
    record.unreadySince ??= now;
  }
}

/** Whether the node has been silent for too long. */
export function isSilent(record: NodeRecord, node: Node, now: number, times: NodeTimes): boolean {
  const ready = readyCondition(node);
  return now - record.heardAt > (ready ? times.graceMs : times.startupGraceMs) && ready?.status !== 'Unknown';
}
