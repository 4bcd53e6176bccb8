import { closeSync, openSync, readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { processStat, type ProcessStat } from './process-identity.ts';

/** Every process of a container has this variable, with the container's name as its value. */
export const containerVariable = 'WHERRY_CONTAINER_ID';

const variablePrefix = Buffer.from(`${containerVariable}=`);
/** How many processes are looked at before others get their turn. */
const sliceSize = 100;

/** The processes of each container, by the container's name. */
export type ProcessScan = ReadonlyMap<string, readonly ProcessStat[]>;

interface Seen extends ProcessStat {
  readonly key: string;
  readonly mountNamespace: string | undefined;
}

/**
 * Finds the processes of containers among all of the machine. A process belongs to a container when it has the variable, when it is in the
 * container's own mount namespace, or when its parent or its session's leader belongs. Once found, it stays found: later it may have left
 * its parent and dropped its environment.
 */
export class ProcessTable {
  /** By pid and start time. */
  #known = new Map<string, string>();
  readonly #containerOfNamespace = new Map<string, string>();
  /** By container: its namespace, held open. The kernel gives the number of one that is gone to the next one, whoever that belongs to. */
  readonly #held = new Map<string, number>();
  #next: Promise<ProcessScan> | undefined;
  #current: Promise<unknown> = Promise.resolve();

  /** Notes that a container has a mount namespace of its own: that of this process. */
  learnNamespace(container: string, pid: number): void {
    const held = openNamespace(pid);
    if (held === undefined) return;
    const namespace = mountNamespaceOf('self', `fd/${held}`);
    if (namespace === undefined || namespace === mountNamespaceOf('self')) return closeSync(held);
    this.forget(container);
    this.#held.set(container, held);
    this.#containerOfNamespace.set(namespace, container);
  }

  /** Lets go of all that is held. */
  close(): void {
    for (const container of Array.from(this.#held.keys())) this.forget(container);
  }

  forget(container: string): void {
    const held = this.#held.get(container);
    this.#held.delete(container);
    if (held !== undefined) closeSync(held);
    for (const [namespace, owner] of this.#containerOfNamespace) {
      if (owner === container) this.#containerOfNamespace.delete(namespace);
    }
  }

  /** A look that begins after the call; those who ask meanwhile share the next one. */
  scan(): Promise<ProcessScan> {
    this.#next ??= this.#current.then(() => {
      this.#next = undefined;
      const scan = this.#look();
      this.#current = scan.catch(() => {});
      return scan;
    });
    return this.#next;
  }

  async #look(): Promise<ProcessScan> {
    const seen: Seen[] = [];
    const pids = readdirSync('/proc').filter((name) => /^\d+$/.test(name));
    for (const [i, pid] of pids.entries()) {
      const process = see(Number(pid));
      if (process) seen.push(process);
      if (i % sliceSize === sliceSize - 1) await nextTurn();
    }
    return this.#assign(seen);
  }

  #assign(seen: readonly Seen[]): ProcessScan {
    const owners = new Map<number, string>();
    for (const process of seen) {
      const owner = this.#known.get(process.key) ?? this.#ownerOf(process);
      if (owner !== undefined) owners.set(process.pid, owner);
    }
    for (let before = -1; before < owners.size;) {
      before = owners.size;
      for (const { pid, parent, session } of seen) {
        const owner = owners.get(pid) ?? owners.get(parent) ?? owners.get(session);
        if (owner !== undefined) owners.set(pid, owner);
      }
    }
    this.#known = new Map(seen.flatMap(({ key, pid }) => (owners.has(pid) ? [[key, owners.get(pid)!] as const] : [])));
    return grouped(seen, owners);
  }

  #ownerOf(process: Seen): string | undefined {
    const byNamespace = process.mountNamespace && this.#containerOfNamespace.get(process.mountNamespace);
    return byNamespace || markOf(process.pid);
  }
}

function grouped(seen: readonly Seen[], owners: ReadonlyMap<number, string>): ProcessScan {
  const groups = new Map<string, ProcessStat[]>();
  for (const process of seen) {
    const owner = owners.get(process.pid);
    if (owner === undefined) continue;
    const group = groups.get(owner);
    if (group) group.push(process);
    else groups.set(owner, [process]);
  }
  return groups;
}

function see(pid: number): Seen | undefined {
  const stat = processStat(pid);
  if (!stat || stat.state === 'Z' || stat.state === 'X') return undefined;
  return { ...stat, key: `${pid}.${stat.startTime}`, mountNamespace: mountNamespaceOf(pid) };
}

/** Nothing for a process that is gone. */
function openNamespace(pid: number): number | undefined {
  try {
    return openSync(`/proc/${pid}/ns/mnt`, 'r');
  } catch {
    return undefined;
  }
}

function mountNamespaceOf(pid: number | 'self', file = 'ns/mnt'): string | undefined {
  try {
    return readlinkSync(`/proc/${pid}/${file}`);
  } catch {
    return undefined;
  }
}

/** The container's name in the environment of a process; nothing where there is none or we may not look. */
function markOf(pid: number): string | undefined {
  let environment: Buffer;
  try {
    environment = readFileSync(`/proc/${pid}/environ`);
  } catch {
    return undefined;
  }
  for (let at = environment.indexOf(variablePrefix); at >= 0; at = environment.indexOf(variablePrefix, at + 1)) {
    if (at > 0 && environment[at - 1] !== 0) continue;
    const end = environment.indexOf(0, at);
    return environment.toString('utf8', at + variablePrefix.length, end < 0 ? undefined : end);
  }
  return undefined;
}
