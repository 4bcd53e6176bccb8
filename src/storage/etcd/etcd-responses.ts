import { messageFields } from './message-fields.ts';

/** What stands under a key. */
export interface KeyValue {
  readonly key: Buffer;
  readonly value: Buffer;
  /** Revision of the write that made the key. */
  readonly createRevision: number;
  /** Revision of the last write. */
  readonly modRevision: number;
}

export interface RangeResponse {
  /** The newest revision when the answer was made. */
  readonly revision: number;
  readonly keyValues: readonly KeyValue[];
  /** How many keys there are in the range that was asked for, given or not. */
  readonly count: number;
}

export interface ChangeResponse {
  readonly revision: number;
  readonly succeeded: boolean;
  /** The key as it is, where the change was refused and the key is there. */
  readonly present?: KeyValue;
}

export interface WatchEvent {
  readonly deleted: boolean;
  readonly keyValue: KeyValue;
  readonly previous?: KeyValue;
}

export interface WatchResponse {
  readonly revision: number;
  readonly created: boolean;
  readonly canceled: boolean;
  /** Not 0 where the watch was to start at a revision that is forgotten. */
  readonly compactRevision: number;
  readonly cancelReason: string;
  readonly events: readonly WatchEvent[];
}

export function readRangeResponse(message: Buffer): RangeResponse {
  let [revision, count] = [0, 0];
  const keyValues: KeyValue[] = [];
  for (const { field, number, bytes } of messageFields(message)) {
    if (field === 1) revision = readRevision(bytes);
    else if (field === 2) keyValues.push(readKeyValue(bytes));
    else if (field === 4) count = number;
  }
  return { revision, keyValues, count };
}

export function readChangeResponse(message: Buffer): ChangeResponse {
  let [revision, succeeded] = [0, false];
  let present: KeyValue | undefined;
  for (const { field, number, bytes } of messageFields(message)) {
    if (field === 1) revision = readRevision(bytes);
    else if (field === 2) succeeded = number !== 0;
    else if (field === 3) present = readRangeOperation(bytes)?.keyValues[0];
  }
  return { revision, succeeded, present };
}

export function readWatchResponse(message: Buffer): WatchResponse {
  let [revision, compactRevision, cancelReason] = [0, 0, ''];
  let [created, canceled] = [false, false];
  const events: WatchEvent[] = [];
  for (const { field, number, bytes } of messageFields(message)) {
    if (field === 1) revision = readRevision(bytes);
    else if (field === 3) created = number !== 0;
    else if (field === 4) canceled = number !== 0;
    else if (field === 5) compactRevision = number;
    else if (field === 6) cancelReason = bytes.toString('utf8');
    else if (field === 11) events.push(readEvent(bytes));
  }
  return { revision, created, canceled, compactRevision, cancelReason, events };
}

/** The revision out of a header. */
function readRevision(header: Buffer): number {
  for (const { field, number } of messageFields(header)) if (field === 3) return number;
  return 0;
}

function readRangeOperation(operation: Buffer): RangeResponse | undefined {
  for (const { field, bytes } of messageFields(operation)) if (field === 1) return readRangeResponse(bytes);
  return undefined;
}

function readEvent(message: Buffer): WatchEvent {
  let deleted = false;
  let [keyValue, previous]: [KeyValue | undefined, KeyValue | undefined] = [undefined, undefined];
  for (const { field, number, bytes } of messageFields(message)) {
    if (field === 1) deleted = number === 1;
    else if (field === 2) keyValue = readKeyValue(bytes);
    else if (field === 3) previous = readKeyValue(bytes);
  }
  if (!keyValue) throw new RangeError('an event names no key');
  return { deleted, keyValue, previous };
}

function readKeyValue(message: Buffer): KeyValue {
  let [key, value]: [Buffer, Buffer] = [empty, empty];
  let [createRevision, modRevision] = [0, 0];
  for (const { field, number, bytes } of messageFields(message)) {
    if (field === 1) key = bytes;
    else if (field === 2) createRevision = number;
    else if (field === 3) modRevision = number;
    else if (field === 5) value = bytes;
  }
  return { key, value, createRevision, modRevision };
}

const empty = Buffer.alloc(0);
