import { createHash } from 'node:crypto';
import { chmod, mkdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { parseBlock, type AddressBlock } from '../../../simulated/address-block.ts';

/** A node's part of the range has 2^10 addresses. */
const blockBits = 10;

export interface BlockClaim {
  /** What all nodes of the machine take their blocks from. */
  readonly range: AddressBlock;
  /** A directory that all nodes of the machine share. */
  readonly registry: string;
  /** The node's own directory: as long as it is there, the block is taken. */
  readonly owner: string;
}

/**
 * The part of a range that belongs to this node alone, always the same for the same directory. Nodes of one machine find each other's
 * claims in the registry; where that cannot be written, the directory's name alone decides, and two may meet.
 */
export async function claimBlock({ range, registry, owner }: BlockClaim): Promise<AddressBlock> {
  const count = Math.floor(range.size / 2 ** blockBits);
  if (count <= 1) return range;
  const first = createHash('sha256').update(owner).digest().readUInt32BE() % count;
  const shared = await openRegistry(registry);
  for (let i = 0; i < count; i++) {
    const address = range.at(((first + i) % count) * 2 ** blockBits);
    if (!shared || (await take(join(registry, address), owner))) return parseBlock(`${address}/${32 - blockBits}`)!;
  }
  throw new Error(`all parts of ${range.cidr} are taken by other nodes of this machine, see ${registry}`);
}

/** Every user of the machine may add to it, as to the directory for temporary files. */
async function openRegistry(path: string): Promise<boolean> {
  try {
    if ((await mkdir(path, { recursive: true })) !== undefined) await chmod(path, 0o1777);
    return (await stat(path)).isDirectory();
  } catch {
    return false;
  }
}

async function take(file: string, owner: string): Promise<boolean> {
  for (let attempt = 0; attempt < 2; attempt++) {
    try {
      await writeFile(file, owner, { flag: 'wx', mode: 0o644 });
      return true;
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException;
      if (code === 'EACCES' || code === 'EPERM' || code === 'EROFS') return true;
      if (code !== 'EEXIST') throw error;
    }
    const holder = await readFile(file, 'utf8').catch(() => '');
    if (holder === owner) return true;
    // An empty one is just being written.
    if (holder === '' || (await isThere(holder))) return false;
    await rm(file, { force: true }).catch(() => {});
  }
  return false;
}

async function isThere(path: string): Promise<boolean> {
  return stat(path).then(
    () => true,
    () => false,
  );
}
