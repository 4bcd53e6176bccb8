import type { ReplicaSet } from '../../kinds/extensions/replica-set.ts';
import { oldestFirst } from '../oldest-first.ts';
import { revisionOf } from './deployment-annotations.ts';
import { isObserved, type SetState } from './set-state.ts';

/** The oldest first: by revision, then by when they were made. */
export function compareByRevision(a: ReplicaSet, b: ReplicaSet): number {
  return revisionOf(a) - revisionOf(b) || oldestFirst(a, b);
}

export function highestRevision(sets: readonly ReplicaSet[]): number {
  return Math.max(0, ...sets.map(revisionOf));
}

/** The set of a revision; 0 means the one before the last. */
export function setOfRevision(sets: readonly ReplicaSet[], revision: number): ReplicaSet | undefined {
  if (revision > 0) return sets.find((set) => revisionOf(set) === revision);
  const last = highestRevision(sets);
  const earlier = sets.filter((set) => revisionOf(set) > 0 && revisionOf(set) < last);
  return earlier.toSorted(compareByRevision).at(-1);
}

/** Old sets, oldest first, that are more than are to be kept to go back to. Those with pods count as none of them. */
export function beyondHistory(old: readonly SetState[], limit: number | undefined): ReplicaSet[] {
  if (limit === undefined) return [];
  const empty = old.filter((state) => state.replicas === 0 && state.pods === 0 && isObserved(state));
  const sets = empty.map(({ set }) => set).filter(({ metadata }) => metadata.deletionTimestamp === undefined);
  return sets.slice(0, Math.max(0, sets.length - limit));
}
