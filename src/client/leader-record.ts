import { formatTime } from '../base/clock.ts';

/** Where the lock is kept on its object. */
export const leaderAnnotation = 'control-plane.alpha.kubernetes.io/leader';

/** Who leads, as the annotation holds it. */
export interface LeaderRecord {
  /** Empty when nobody leads. */
  readonly holderIdentity: string;
  readonly leaseDurationSeconds: number;
  readonly acquireTime: string;
  readonly renewTime: string;
  readonly leaderTransitions: number;
}

/** The record of an annotation; nothing when there is none or it is no record, which nobody can hold. */
export function parseLeaderRecord(text: string | undefined): LeaderRecord | undefined {
  if (text === undefined) return undefined;
  try {
    const fields = JSON.parse(text) as Readonly<Record<string, unknown>>;
    const { holderIdentity } = fields;
    if (typeof holderIdentity !== 'string') return undefined;
    return {
      holderIdentity,
      leaseDurationSeconds: numberIn(fields, 'leaseDurationSeconds'),
      acquireTime: textIn(fields, 'acquireTime'),
      renewTime: textIn(fields, 'renewTime'),
      leaderTransitions: numberIn(fields, 'leaderTransitions'),
    };
  } catch {
    return undefined;
  }
}

function textIn(fields: Readonly<Record<string, unknown>>, name: keyof LeaderRecord): string {
  const value = fields[name];
  return typeof value === 'string' ? value : '';
}

function numberIn(fields: Readonly<Record<string, unknown>>, name: keyof LeaderRecord): number {
  const value = fields[name];
  return typeof value === 'number' ? value : 0;
}

export interface Claim {
  readonly identity: string;
  readonly leaseMs: number;
  readonly now: number;
}

/** What the holder writes, on taking the lock over and on each renewal. */
export function claimedRecord(old: LeaderRecord | undefined, { identity, leaseMs, now }: Claim): LeaderRecord {
  const time = formatTime(now);
  const isRenewal = old?.holderIdentity === identity;
  const transitions = old?.leaderTransitions ?? 0;
  return {
    holderIdentity: identity,
    leaseDurationSeconds: Math.ceil(leaseMs / 1000),
    acquireTime: isRenewal ? old.acquireTime : time,
    renewTime: time,
    leaderTransitions: old && !isRenewal ? transitions + 1 : transitions,
  };
}

/** What the holder leaves behind when it goes: the next one need not wait. */
export function releasedRecord(old: LeaderRecord, now: number): LeaderRecord {
  return { ...old, holderIdentity: '', leaseDurationSeconds: 1, renewTime: formatTime(now) };
}
