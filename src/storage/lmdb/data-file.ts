import { open } from 'node:fs/promises';
import type { FileHandle } from 'node:fs/promises';
import { join } from 'node:path';
import { StorageError } from '../storage.ts';

/** LMDB's file in the directory. */
const fileName = 'data.mdb';

const metaPageFlag = 0x08;
const magic = 0xbeefc0de;
const dataVersion = 2;

/**
 * Fails with `Unavailable` when LMDB's file is there but is something else. LMDB looks too, but its bindings then bring the process
 * down instead of saying so.
 */
export async function checkDataFile(directory: string): Promise<void> {
  const path = join(directory, fileName);
  const start = await readStart(path);
  if (start.length === 0) return;
  const isDatabase =
    start.length === 32 &&
    (start.readUInt16LE(18) & metaPageFlag) !== 0 &&
    start.readUInt32LE(24) === magic &&
    start.readUInt32LE(28) === dataVersion;
  if (!isDatabase) throw new StorageError('Unavailable', `${path} is not a database that this release can read`);
}

/** The first bytes of a file; none when it is not there. */
async function readStart(path: string): Promise<Buffer> {
  let file: FileHandle | undefined;
  try {
    file = await open(path, 'r');
    const { buffer, bytesRead } = await file.read(Buffer.alloc(32), 0, 32, 0);
    return buffer.subarray(0, bytesRead);
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return Buffer.alloc(0);
    throw new StorageError('Unavailable', `cannot read ${path}`, { cause: error });
  } finally {
    await file?.close();
  }
}
