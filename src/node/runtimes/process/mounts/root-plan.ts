import { lstatSync, mkdirSync, readdirSync, realpathSync, statSync, writeFileSync, type Stats } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { RuntimeError, type Mount } from '../../../runtime.ts';
import { fullPath, resolvePath, type ResolvedPath } from './container-path.ts';

/**
 * How the file system of a container is put together from that of the machine. Where something is to appear at a path that the machine does
 * not have, the nearest directory that it has is rebuilt: an empty one takes its place, everything that was in it is bound back, and there
 * is room for what is new. The top is always rebuilt, so that a container can have any path of its own.
 */
export interface RootPlan {
  /** Parents before their children. */
  readonly rebuilt: readonly RebuiltDirectory[];
  /** What the container asked for; outer ones first. Targets are paths in the container with links followed. */
  readonly binds: readonly Bind[];
}

export interface RebuiltDirectory {
  readonly path: string;
  readonly mode: number;
  /** Paths below it that are made, outermost first. */
  readonly directories: readonly string[];
  readonly files: readonly string[];
  /** Links of the machine that are copied. */
  readonly links: readonly string[];
  readonly newLinks: readonly NewLink[];
  /** What the machine has there and is bound back. */
  readonly binds: readonly Bind[];
}

export interface Bind {
  readonly source: string;
  readonly target: string;
  readonly readOnly: boolean;
}

export interface NewLink {
  readonly path: string;
  readonly text: string;
}

export interface RootWishes {
  readonly mounts: readonly Mount[];
  /** Directories that have to be there, empty where the machine has none. */
  readonly directories: readonly string[];
  /** Whether all devices of the machine are to be seen. */
  readonly allDevices: boolean;
}

/** What programs expect in /dev. The machine may have hundreds more there, which no container needs. */
const usualDevices = new Set('null zero full random urandom tty console ptmx pts shm mqueue fd stdin stdout stderr'.split(' ')); // prettier-ignore

/**
 * Whoever opens ptmx gets a terminal of the `pts` beside it, and the kernel looks for that in the file system that ptmx was taken from. So all
 * devices are there once more, as they are, and ptmx is a link into them.
 */
const terminals = { device: '/dev/ptmx', link: '.wherry-devices/ptmx', source: '/dev', target: '/dev/.wherry-devices' };

/** Fails with `InvalidMount` where the wishes cannot be met. */
export function planRoot(wishes: RootWishes): RootPlan {
  const builder = new RootBuilder(wishes.allDevices);
  const byDepth = [...wishes.mounts].sort((a, b) => depth(a.containerPath) - depth(b.containerPath));
  for (const mount of byDepth) builder.addMount(mount);
  for (const directory of wishes.directories) builder.addDirectory(directory);
  return builder.plan();
}

class RootBuilder {
  readonly #allDevices: boolean;
  /** What is new in each directory that is rebuilt. */
  readonly #additions = new Map<string, { directories: Set<string>; files: Set<string> }>([
    ['/', { directories: new Set(), files: new Set() }],
  ]);
  readonly #binds: Bind[] = [];
  /** Where each mount was asked for, and where that is. */
  readonly #wanted: { readonly path: string; readonly target: string }[] = [];

  constructor(allDevices: boolean) {
    this.#allDevices = allDevices;
  }

  addMount({ hostPath, containerPath, readOnly }: Mount): void {
    const source = sourceOf(hostPath, containerPath);
    const { target, outer, resolved } = this.#locate(containerPath);
    if (target === '/') throw invalid(containerPath, 'nothing can be mounted over the whole file system');
    if (outer) makePlaceIn(outer, target, source);
    else if (resolved.missing.length > 0) this.#makeRoom(resolved, source.stats.isDirectory(), containerPath);
    else checkSameSort(target, source, containerPath);
    this.#binds.push({ source: source.path, target, readOnly });
    this.#wanted.push({ path: resolve('/', containerPath), target });
  }

  addDirectory(path: string): void {
    const { outer, resolved } = this.#locate(path);
    if (!outer && resolved.missing.length > 0) this.#makeRoom(resolved, true, path);
  }

  plan(): RootPlan {
    const paths = [...this.#additions.keys()].sort((a, b) => depth(a) - depth(b));
    return { rebuilt: paths.map((path) => this.#rebuild(path)), binds: this.#binds };
  }

  /** Within another mount the file system of the machine says nothing about a path. */
  #locate(path: string): Place {
    const wanted = resolve('/', path);
    const around = this.#wanted.findLast((outer) => wanted.startsWith(`${outer.path}/`));
    if (around) {
      const target = `${around.target}${wanted.slice(around.path.length)}`;
      return { target, outer: this.#bindAround(target)!, resolved: { existing: target, missing: [] } };
    }
    try {
      const resolved = resolvePath(wanted);
      const target = fullPath(resolved);
      return { target, outer: this.#bindAround(target), resolved };
    } catch (error) {
      throw invalid(path, (error as Error).message, error);
    }
  }

  /** The innermost mount that this path lies within. */
  #bindAround(path: string): Bind | undefined {
    return this.#binds.findLast(({ target }) => path.startsWith(`${target}/`));
  }

  #makeRoom({ existing, missing }: ResolvedPath, isDirectory: boolean, wanted: string): void {
    if (!statSync(existing).isDirectory()) throw invalid(wanted, `${existing} of the machine is no directory`);
    let additions = this.#additions.get(existing);
    if (!additions) this.#additions.set(existing, (additions = { directories: new Set(), files: new Set() }));
    const parents = isDirectory ? missing : missing.slice(0, -1);
    parents.forEach((_, i) => additions.directories.add(join(existing, ...missing.slice(0, i + 1))));
    if (!isDirectory) additions.files.add(join(existing, ...missing));
  }

  #rebuild(path: string): RebuiltDirectory {
    const { directories, files } = this.#additions.get(path)!;
    const old = { directories: [] as string[], files: [] as string[], links: [] as string[] };
    for (const name of this.#namesIn(path)) {
      const child = join(path, name);
      const stats = lstatSync(child, { throwIfNoEntry: false });
      if (stats?.isSymbolicLink()) old.links.push(child);
      else if (stats?.isDirectory()) old.directories.push(child);
      else if (stats) old.files.push(child);
    }
    const relink = old.files.includes(terminals.device);
    if (relink) old.files.splice(old.files.indexOf(terminals.device), 1);
    const kept = [...old.directories, ...old.files].filter((child) => !this.#additions.has(child));
    const binds = kept.map((child) => ({ source: child, target: child, readOnly: false }));
    return {
      path,
      mode: statSync(path).mode & 0o7777,
      directories: [...old.directories, ...directories, ...(relink ? [terminals.target] : [])],
      files: [...old.files, ...files],
      links: old.links,
      newLinks: relink ? [{ path: terminals.device, text: terminals.link }] : [],
      binds: relink ? [...binds, { source: terminals.source, target: terminals.target, readOnly: false }] : binds,
    };
  }

  #namesIn(path: string): string[] {
    const names = readdirSync(path);
    return path === '/dev' && !this.#allDevices ? names.filter((name) => usualDevices.has(name)) : names;
  }
}

/** Where a path of the container is. */
interface Place {
  readonly target: string;
  /** The mount that it lies within. */
  readonly outer: Bind | undefined;
  readonly resolved: ResolvedPath;
}

interface Source {
  readonly path: string;
  readonly stats: Stats;
}

function sourceOf(hostPath: string, containerPath: string): Source {
  try {
    const path = realpathSync(hostPath);
    return { path, stats: statSync(path) };
  } catch (error) {
    throw invalid(containerPath, `${hostPath} of the machine cannot be read: ${(error as Error).message}`, error);
  }
}

/** A mount within another one needs a place in what is mounted there. Links in a volume must not lead us to make one elsewhere. */
function makePlaceIn(outer: Bind, target: string, source: Source): void {
  try {
    const resolved = resolvePath(join(outer.source, target.slice(outer.target.length)));
    const place = fullPath(resolved);
    if (!place.startsWith(`${outer.source}/`)) throw new Error(`${place} is not in it`);
    if (resolved.missing.length === 0) return;
    mkdirSync(source.stats.isDirectory() ? place : dirname(place), { recursive: true });
    if (!source.stats.isDirectory()) writeFileSync(place, '', { flag: 'wx' });
  } catch (error) {
    throw invalid(target, `there is no place for it in ${outer.source}: ${(error as Error).message}`, error);
  }
}

function checkSameSort(target: string, source: Source, containerPath: string): void {
  if (statSync(target).isDirectory() === source.stats.isDirectory()) return;
  const [here, there] = source.stats.isDirectory() ? ['a directory', 'a file'] : ['a file', 'a directory'];
  throw invalid(containerPath, `${source.path} is ${here} and what it would cover is ${there}`);
}

function depth(path: string): number {
  return path.split('/').filter((part) => part !== '').length;
}

function invalid(containerPath: string, why: string, cause?: unknown): RuntimeError {
  return new RuntimeError('InvalidMount', `cannot mount ${containerPath}: ${why}`, { cause });
}
