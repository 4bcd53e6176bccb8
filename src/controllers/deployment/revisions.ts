import type { ReplicaSet } from '../../kinds/extensions/replica-set.ts';
import { revisionOf } from './deployment-annotations.ts';
import { isObserved, type SetState } from './set-state.ts';

/** The oldest first: by revision, then by when they were made. */
export function compareByRevision(a: ReplicaSet, b: ReplicaSet): number {
  return revisionOf(a) - revisionOf(b) || compareByAge(a, b);
}

/** The oldest first; a name decides between those of the same second, so that the order is the same every time. */
export function compareByAge(a: ReplicaSet, b: ReplicaSet): number {
  const [ageA, ageB] = [a.metadata.creationTimestamp ?? '', b.metadata.creationTimestamp ?? ''];
  const [nameA, nameB] = [a.metadata.name ?? '', b.metadata.name ?? ''];
  if (ageA !== ageB) return ageA < ageB ? -1 : 1;
  return nameA < nameB ? -1 : Number(nameA > nameB);
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
