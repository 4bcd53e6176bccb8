import { readdirSync, readlinkSync } from 'node:fs';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { isRunning, type ProcessIdentity } from '../proc/process-identity.ts';
import type { ProcessTable } from '../proc/process-table.ts';

/** A descriptor of a process through which it has a socket. */
interface Hold {
  readonly container: string;
  readonly process: ProcessIdentity;
  readonly descriptor: string;
}

const mostRemembered = 4096;

/** Knows which sockets belong to containers: those that one of its processes has open, whoever opened them. */
export class SocketHolders {
  readonly #table: ProcessTable;
  /** By inode, as last seen: nearly always still true, and then no other process has to be looked at. */
  readonly #seen = new Map<string, Hold>();

  constructor(table: ProcessTable) {
    this.#table = table;
  }

  /** Those of the sockets, by inode, that belong to one of these containers. */
  async heldBy(containers: ReadonlySet<string>, inodes: ReadonlySet<string>): Promise<ReadonlySet<string>> {
    const held = new Set([...inodes].filter((inode) => this.#isStillHeld(inode, containers)));
    const missing = new Set([...inodes].filter((inode) => !held.has(inode)));
    if (missing.size === 0 || containers.size === 0) return held;
    const scan = await this.#table.scan();
    for (const container of containers) {
      for (const process of scan.get(container) ?? []) {
        for (const inode of this.#look(container, process, missing)) held.add(inode);
        await nextTurn();
      }
    }
    return held;
  }

  #isStillHeld(inode: string, containers: ReadonlySet<string>): boolean {
    const hold = this.#seen.get(inode);
    if (!hold) return false;
    const { process, descriptor, container } = hold;
    if (isRunning(process) && socketBehind(process.pid, descriptor) === inode) return containers.has(container);
    this.#seen.delete(inode);
    return false;
  }

  #look(container: string, process: ProcessIdentity, wanted: ReadonlySet<string>): string[] {
    return descriptorsOf(process.pid).flatMap((descriptor) => {
      const inode = socketBehind(process.pid, descriptor);
      if (inode === undefined || !wanted.has(inode)) return [];
      if (this.#seen.size >= mostRemembered) this.#seen.clear();
      this.#seen.set(inode, { container, process, descriptor });
      return [inode];
    });
  }
}

function descriptorsOf(pid: number): string[] {
  try {
    return readdirSync(`/proc/${pid}/fd`);
  } catch {
    // It has ended, or we may not look: nothing can be said to be its own.
    return [];
  }
}

/** The inode of a socket; nothing where the descriptor is something else or gone. */
function socketBehind(pid: number, descriptor: string): string | undefined {
  try {
    return /^socket:\[(\d+)\]$/.exec(readlinkSync(`/proc/${pid}/fd/${descriptor}`))?.[1];
  } catch {
    return undefined;
  }
}
