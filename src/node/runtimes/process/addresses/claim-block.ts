import { createHash } from 'node:crypto';
import { chmod, mkdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { parseBlock, type AddressBlock } from '../../../simulated/address-block.ts';

/** A node's part of the range has 2^10 addresses unless it is said otherwise. */
const usualBits = 10;

export interface BlockClaim {
  /** What all nodes of the machine take their blocks from. */
  readonly range: AddressBlock;
  /** A directory that all nodes of the machine share. */
  readonly registry: string;
  /** The node's own directory: as long as it is there, the block is taken. */
  readonly owner: string;
  /** How large a part is, as a power of two. */
  readonly bits?: number;
  /** Whether a part will do; any one when absent. */
  readonly accepts?: (block: AddressBlock) => boolean;
}

/**
 * The part of a range that belongs to this node alone, always the same for the same directory. Nodes of one machine find each other's
 * claims in the registry; where that cannot be written, the directory's name alone decides, and two may meet.
 */
export async function claimBlock(claim: BlockClaim): Promise<AddressBlock> {
  const block = await tryClaimBlock(claim);
  if (block) return block;
  throw new Error(`all parts of ${claim.range.cidr} are taken by other nodes of this machine, see ${claim.registry}`);
}

/** As above; nothing when no part is left. */
export async function tryClaimBlock(claim: BlockClaim): Promise<AddressBlock | undefined> {
  const { range, registry, owner, bits = usualBits, accepts = () => true } = claim;
  const count = Math.floor(range.size / 2 ** bits);
  if (count <= 1) return accepts(range) ? range : undefined;
  const first = createHash('sha256').update(owner).digest().readUInt32BE() % count;
  const shared = await openRegistry(registry);
  for (let i = 0; i < count; i++) {
    const block = parseBlock(`${range.at(((first + i) % count) * 2 ** bits)}/${32 - bits}`)!;
    if (accepts(block) && (!shared || (await take(join(registry, block.at(0)), owner)))) return block;
  }
  return undefined;
}

/** Notes that a block belongs to the owner; false when it is another one's. */
export async function claimThisBlock(block: AddressBlock, registry: string, owner: string): Promise<boolean> {
  return !(await openRegistry(registry)) || take(join(registry, block.at(0)), owner);
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
