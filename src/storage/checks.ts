import { compacted, futureRevision } from './errors.ts';

/** The revisions that can be asked for: `compacted` is the oldest whose state is known, `revision` the newest. */
export interface HistorySpan {
  readonly revision: number;
  readonly compacted: number;
}

/** Throws `Compacted` or `FutureRevision` unless the state at `revision` is known. */
export function checkReadable(span: HistorySpan, revision: number): void {
  checkWatchable(span, revision);
  checkReached(span, revision);
}

/** Throws `Compacted` unless every change after `revision` is known or yet to come. */
export function checkWatchable(span: HistorySpan, revision: number): void {
  checkRevision(revision);
  if (revision < span.compacted) throw compacted(revision, span.compacted);
}

/** Throws `FutureRevision` when nothing with that revision is written yet. */
export function checkReached(span: HistorySpan, revision: number): void {
  checkRevision(revision);
  if (revision > span.revision) throw futureRevision(revision, span.revision);
}

/** Throws a `RangeError` unless the limit is absent or a positive whole number. */
export function checkLimit(limit: number | undefined): void {
  if (limit === undefined || (Number.isSafeInteger(limit) && limit > 0)) return;
  throw new RangeError(`${limit} is not a limit: it must be a positive whole number`);
}

function checkRevision(revision: number): void {
  if (!Number.isSafeInteger(revision) || revision < 0) throw new RangeError(`${revision} is not a revision`);
}
