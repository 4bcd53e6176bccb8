import type { Entry, StorageEvent } from '../storage.ts';

/**
 * An event as history keeps it, under its revision: what it did to which key, when, and the value that it put out of date. The value that
 * it brought is not in it: that is the current one, or stands in the record of the next event on the key.
 *
 * Layout: type (1 byte), time (float64), revision of the previous value (float64), length of the key (uint16), key, previous value.
 */
export interface HistoryRecord {
  readonly type: StorageEvent['type'];
  readonly key: string;
  readonly previous?: Entry;
}

const types = ['created', 'updated', 'deleted'] as const;
const headerBytes = 19;

export function encodeRecord(event: StorageEvent, time: number): Buffer {
  const previous = event.type === 'created' ? undefined : event.previous;
  const keyBytes = Buffer.byteLength(event.key);
  const record = Buffer.allocUnsafe(headerBytes + keyBytes + (previous?.value.length ?? 0));
  record.writeUInt8(types.indexOf(event.type), 0);
  record.writeDoubleLE(time, 1);
  record.writeDoubleLE(previous?.revision ?? 0, 9);
  record.writeUInt16LE(keyBytes, 17);
  record.write(event.key, headerBytes, 'utf8');
  if (previous) record.set(previous.value, headerBytes + keyBytes);
  return record;
}

export function timeOfRecord(record: Buffer): number {
  return record.readDoubleLE(1);
}

export function keyOfRecord(record: Buffer): string {
  return record.toString('utf8', headerBytes, headerBytes + record.readUInt16LE(17));
}

/** Reads a record from borrowed bytes; the previous value is a copy. */
export function decodeRecord(record: Buffer): HistoryRecord {
  const type = types[record.readUInt8(0)]!;
  const key = keyOfRecord(record);
  if (type === 'created') return { type, key };
  const value = Buffer.from(record.subarray(headerBytes + record.readUInt16LE(17)));
  return { type, key, previous: { key, value, revision: record.readDoubleLE(9) } };
}
