/**
 * A process that may not write large files: fills its storage until a commit fails, and goes on. Prints what came of each write.
 * Arguments: the directory.
 */
import { systemClock } from '../../base/clock.ts';
import { StorageError } from '../storage.ts';
import { openLmdbStorage } from './lmdb-storage.ts';

const storage = await openLmdbStorage({ path: process.argv[2]!, clock: systemClock });
const { revision } = await storage.create('/before', Buffer.from('before'));
const together = await Promise.allSettled([
  storage.create('/small', Buffer.from('small')),
  storage.update('/before', Buffer.from('changed'), revision),
  storage.create('/too-large', Buffer.alloc(64 * 1024 * 1024, 'x')),
  storage.create('/small', Buffer.from('twice')),
]);
const failures = together.map((result) => (result.status === 'rejected' ? codeOf(result.reason) : 'done'));
const between = (await storage.list('/')).entries.map(({ key, value }) => `${key}=${value.toString()}`);
const after = await storage.update('/before', Buffer.from('after'), revision);
await storage.create('/later', Buffer.from('later'));
await storage.close();
process.stdout.write(JSON.stringify({ failures, between, skipped: after.revision - revision - 1 }));

function codeOf(reason: unknown): string {
  return reason instanceof StorageError ? reason.code : String(reason);
}
