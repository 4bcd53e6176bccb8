import { MessageWriter } from './message-writer.ts';

/** Keys from `start` on and before `end`; the one key `start` when there is no end. */
export interface KeyRange {
  readonly start: Uint8Array;
  readonly end?: Uint8Array;
}

export interface RangeRequest extends KeyRange {
  readonly limit?: number;
  /** The newest when absent. */
  readonly revision?: number;
  readonly keysOnly?: boolean;
}

/** Every key that there is, in etcd's way of saying so. */
export const everyKey: KeyRange = { start: Buffer.from([0]), end: Buffer.from([0]) };

/** A read that sees every write that was answered before it began. */
export function rangeRequest({ start, end, limit = 0, revision = 0, keysOnly = false }: RangeRequest): Buffer {
  return new MessageWriter()
    .bytes(1, start)
    .bytes(2, end ?? Buffer.alloc(0))
    .number(3, limit)
    .number(4, revision)
    .flag(8, keysOnly)
    .end();
}

/** A change of one key that takes place only when the key is at a revision (0: is not there); else the key is read. */
export interface GuardedChange {
  readonly key: Uint8Array;
  readonly expected: number;
  /** Absent for a deletion. */
  readonly value?: Uint8Array;
}

export function changeRequest({ key, expected, value }: GuardedChange): Buffer {
  const modRevision = 2;
  const isAtRevision = new MessageWriter().number(2, modRevision).bytes(3, key);
  // The revision is one of several alternatives: left out, it would not be zero but absent.
  const compare = Buffer.concat([isAtRevision.end(), numberEvenIfZero(6, expected)]);
  const put = value && new MessageWriter().bytes(1, key).bytes(2, value).end();
  const change = put
    ? new MessageWriter().message(2, put)
    : new MessageWriter().message(3, new MessageWriter().bytes(1, key).end());
  const read = new MessageWriter().message(1, rangeRequest({ start: key, keysOnly: true }));
  return new MessageWriter().message(1, compare).message(2, change.end()).message(3, read.end()).end();
}

export function compactionRequest(revision: number): Buffer {
  return new MessageWriter().number(1, revision).end();
}

/** Asks for every change of the keys from a revision on, each with what stood there before. */
export function watchRequest({ start, end }: KeyRange, startRevision: number): Buffer {
  const create = new MessageWriter()
    .bytes(1, start)
    .bytes(2, end ?? Buffer.alloc(0))
    .number(3, startRevision)
    .flag(6, true);
  return new MessageWriter().message(1, create.end()).end();
}

function numberEvenIfZero(field: number, value: number): Buffer {
  return value === 0 ? Buffer.from([field * 8, 0]) : new MessageWriter().number(field, value).end();
}
