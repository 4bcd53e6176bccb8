import { open as openFile } from 'node:fs/promises';
import { checkDataFile } from './data-file.ts';

/** A pinned read transaction of LMDB. */
export interface ReadTransaction {
  done(): void;
}

export interface RangeOptions<Key> {
  readonly start?: Key;
  readonly end?: Key;
  readonly reverse?: boolean;
  readonly limit?: number;
  readonly versions?: boolean;
  readonly transaction: ReadTransaction;
}

/**
 * What is used of one of LMDB's tables. Bytes that reads give are borrowed: they are only valid until the next read or the end of the turn,
 * so that the one copy of them can go to where they are needed. `version` is a number that LMDB keeps beside a value.
 */
export interface Table<Key> {
  getEntry(
    key: Key,
    options: { transaction: ReadTransaction },
  ): { readonly value: Uint8Array; readonly version: number } | undefined;
  getRange(
    options: RangeOptions<Key>,
  ): Iterable<{ readonly key: Key; readonly value: Uint8Array; readonly version: number }>;
  getKeysCount(options: RangeOptions<Key>): number;
  put(key: Key, value: Uint8Array, version?: number): Promise<boolean>;
  remove(key: Key): Promise<boolean>;
}

/** Text, or the bytes that bound a range of text. */
export type TextKey = string | Buffer;

/** The tables of a data directory. `batch` commits all the writes that `write` makes, or none, and resolves once they are on disk. */
export interface Database {
  /** Current values by key; the version is the revision. */
  readonly current: Table<TextKey>;
  /** History records by revision. */
  readonly history: Table<number>;
  /** How many keys there are by directory. */
  readonly counts: Table<TextKey>;
  /** The state of the whole, under one key. */
  readonly meta: Table<TextKey>;
  batch(write: () => void): Promise<boolean>;
  useReadTransaction(): ReadTransaction;
  close(): Promise<void>;
}

const textKeys = {
  writeKey(key: TextKey, target: Buffer, start: number): number {
    if (typeof key === 'string') return start + target.write(key, start, 'utf8');
    target.set(key, start);
    return start + key.length;
  },
  readKey: (source: Buffer, start: number, end: number): string => source.toString('utf8', start, end),
};

const revisionKeys = {
  // Big-endian, so that byte order is the order of numbers.
  writeKey(revision: number, target: Buffer, start: number): number {
    target.writeUInt32BE(Math.floor(revision / 0x1_0000_0000), start);
    return target.writeUInt32BE(revision % 0x1_0000_0000, start + 4);
  },
  readKey: (source: Buffer, start: number): number =>
    source.readUInt32BE(start) * 0x1_0000_0000 + source.readUInt32BE(start + 4),
};

// An encoder that hands borrowed bytes through spares the copy that LMDB's own binary encoding makes.
const borrowedBytes = { encode: (bytes: Uint8Array) => bytes, decode: (bytes: Uint8Array) => bytes };

/** Opens the tables in a directory. Nothing is read, so that it takes as long for a million keys as for none. */
export async function openDatabase(directory: string): Promise<Database> {
  await checkDataFile(directory);
  // Loaded only here: who never opens a directory need not have the native module.
  const { open } = await import('lmdb');
  const environment = open({
    path: directory,
    noSubdir: false,
    maxDbs: 8,
    // Address space, not memory or disk; LMDB grows it when the file gets there.
    mapSize: 1024 * 1024 * 1024,
    // With overlapping syncs, reads would see writes that are not yet on disk.
    overlappingSync: false,
    eventTurnBatching: false,
    encoder: borrowedBytes,
  });
  const table = (name: string, keyEncoder: object, useVersions: boolean): unknown =>
    environment.openDB({ name, keyEncoder, encoder: borrowedBytes, useVersions } as { name: string });
  const database: Database = {
    current: table('current', textKeys, true) as Table<TextKey>,
    history: table('history', revisionKeys, false) as Table<number>,
    counts: table('counts', textKeys, false) as Table<TextKey>,
    meta: table('meta', textKeys, false) as Table<TextKey>,
    batch: (write) => environment.batch(write),
    useReadTransaction: () => environment.useReadTransaction(),
    close: () => environment.close(),
  };
  await syncDirectory(directory);
  return database;
}

/** A new file is only sure to be found after a power cut once its directory is on disk too. */
async function syncDirectory(directory: string): Promise<void> {
  if (process.platform === 'win32') return;
  const handle = await openFile(directory, 'r');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}
