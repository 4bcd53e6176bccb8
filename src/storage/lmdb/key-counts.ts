import { maxKeyBytes } from '../keys.ts';
import type { StorageEvent } from '../storage.ts';
import type { Database, ReadTransaction } from './database.ts';

/** Keys are counted in the directories that they are in, down to this depth: more than any key of an object has. */
const maxDepth = 5;

/** Whether the keys under a prefix are counted: those of a directory are, so that a part of a long list need not walk the rest. */
export function isCounted(prefix: string): boolean {
  return Buffer.byteLength(prefix) <= maxKeyBytes && directoriesOf(prefix).at(-1) === prefix;
}

/** How many keys there are in a counted directory. */
export function readCount(database: Database, transaction: ReadTransaction, directory: string): number {
  const found = database.counts.getEntry(directory, { transaction });
  return found ? Number(Buffer.from(found.value.subarray(0, found.value.length)).toString()) : 0;
}

/** By how much the events change the count of each directory. */
export function countChanges(events: readonly StorageEvent[]): Map<string, number> {
  const changes = new Map<string, number>();
  for (const { type, key } of events) {
    if (type === 'updated') continue;
    const change = type === 'created' ? 1 : -1;
    for (const directory of directoriesOf(key)) changes.set(directory, (changes.get(directory) ?? 0) + change);
  }
  return changes;
}

export function putCount(database: Database, directory: string, count: number): void {
  if (count === 0) void database.counts.remove(directory);
  else void database.counts.put(directory, Buffer.from(String(count)));
}

function directoriesOf(key: string): string[] {
  const directories: string[] = [];
  for (let end = key.indexOf('/'); end >= 0 && directories.length < maxDepth; end = key.indexOf('/', end + 1)) {
    directories.push(key.slice(0, end + 1));
  }
  return directories;
}
