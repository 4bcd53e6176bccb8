import { createHash } from 'node:crypto';
import { mkdir, readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { Duplex } from 'node:stream';
import type { Clock } from '../../../base/clock.ts';
import type { Ids } from '../../../base/ids.ts';
import type { Logger } from '../../../base/logger.ts';
import type { Container } from '../../../kinds/core/pod/container.ts';
import type { Pod } from '../../../kinds/core/pod.ts';
import { version } from '../../../version.ts';
import { dial } from '../../dial.ts';
import { RuntimeError, type ContainerPlan, type PodId, type PodPlace, type PulledImage, type RunningContainer, type Runtime } from '../../runtime.ts'; // prettier-ignore
import { releaseMemory } from '../../volumes/memory-directory.ts';
import { volumesOf } from '../../volumes/volume.ts';
import type { Cgroup, Cgroups } from './cgroups/cgroups.ts';
import { readRecord, readResult, type ContainerRecord } from './container/container-record.ts';
import { killProcesses } from './container/end-processes.ts';
import { ProcessContainer } from './container/process-container.ts';
import { startContainer } from './container/start-container.ts';
import type { ContainerSurroundings } from './container/surroundings.ts';
import type { DirectoryLock } from './directory-lock.ts';
import type { HostTools } from './host-tools.ts';
import { findImage, unknownImage, type ImageMap } from './images/image-map.ts';
import type { ImageMapFile } from './images/image-map-file.ts';
import type { Image } from './images/image.ts';
import type { LogLimits } from './logs/log-writer.ts';
import type { NamespaceSupport } from './mounts/namespaces.ts';
import type { NetworkPlace, PodNetwork } from './network/pod-network.ts';
import { InnerConnections } from './ports/inner-connections.ts';
import { findOwnAddresses, loopbackAddresses } from './ports/reach-port.ts';
import { SocketHolders } from './ports/socket-holders.ts';
import type { ProcessTable } from './proc/process-table.ts';

export interface ProcessRuntimeParts {
  readonly directory: string;
  readonly tools: HostTools;
  readonly lock: DirectoryLock;
  readonly network: PodNetwork;
  readonly imageMap: ImageMapFile | undefined;
  readonly builtInImages: ImageMap;
  readonly namespaces: NamespaceSupport;
  /** Asked for when the first container with limits starts. */
  readonly findCgroups: () => Promise<Cgroups>;
  readonly table: ProcessTable;
  readonly boot: string;
  readonly pageSize: number;
  readonly logLimits: LogLimits;
  readonly clock: Clock;
  readonly ids: Ids;
  readonly logger: Logger;
}

/** What an opened runtime has besides. */
export interface OpenedProcessRuntime extends Runtime {
  /** The address of this machine under which pods reach it, and that of pods on its network. */
  readonly hostAddress: string;
}

/**
 * Runs containers as processes. What is known about a container is in its directory, written before it is acted on, so that an agent that is
 * killed at any moment leaves nothing that the next one does not find.
 */
export class ProcessRuntime implements OpenedProcessRuntime, ContainerSurroundings {
  readonly version = `process://${version}`;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly tools: HostTools;
  readonly table: ProcessTable;
  readonly boot: string;
  readonly pageSize: number;
  readonly logLimits: LogLimits;
  readonly #parts: ProcessRuntimeParts;
  readonly #containers = new Map<string, ProcessContainer>();
  readonly #holders: SocketHolders;
  readonly #innerConnections: InnerConnections;
  #cgroups: Promise<Cgroups> | undefined;

  constructor(parts: ProcessRuntimeParts) {
    this.#parts = parts;
    this.clock = parts.clock;
    this.logger = parts.logger;
    this.tools = parts.tools;
    this.table = parts.table;
    this.boot = parts.boot;
    this.pageSize = parts.pageSize;
    this.logLimits = parts.logLimits;
    this.#holders = new SocketHolders(parts.table);
    this.#innerConnections = new InnerConnections(parts.tools, parts.clock);
  }

  get hostAddress(): string {
    return this.#parts.network.hostAddress;
  }

  /** Finds the containers that an earlier agent left. */
  async takeUp(): Promise<void> {
    await mkdir(this.#containersDirectory, { recursive: true, mode: 0o700 });
    for (const id of await readdir(this.#containersDirectory)) {
      try {
        await this.#takeUpContainer(id);
      } catch (error) {
        this.logger.error('a container cannot be taken up again and is ended', { container: id, error });
        // The agent starts another one in its place, and must not have both.
        await this.#discard(id).catch((error: unknown) => this.logger.error('it cannot be removed', { container: id, error })); // prettier-ignore
      }
    }
  }

  async preparePod(pod: Pod): Promise<PodPlace> {
    const { uid } = pod.metadata;
    if (!uid || !isFileName(uid)) throw new RuntimeError('CreateContainerError', `the pod's uid ${JSON.stringify(uid)} cannot name a directory`); // prettier-ignore
    const directory = this.#podDirectory(uid);
    await mkdir(directory, { recursive: true, mode: 0o755 });
    if (pod.spec?.hostNetwork) return { ip: this.hostAddress, directory };
    const place = await this.#join(uid);
    return { ip: place.address, directory, ...(place.namespace !== undefined && { hasOwnPorts: true }) };
  }

  async releasePod({ uid }: PodId): Promise<void> {
    await this.#release(uid);
  }

  async releaseOthers(known: ReadonlySet<string>): Promise<void> {
    const directories = await readdir(join(this.#parts.directory, 'pods')).catch(() => []);
    const withContainers = new Set(Array.from(this.#containers.values(), ({ pod }) => pod.uid));
    for (const uid of new Set([...directories, ...this.#parts.network.members()])) {
      if (!known.has(uid) && !withContainers.has(uid)) await this.#release(uid);
    }
  }

  async #join(uid: string): Promise<NetworkPlace> {
    let place: NetworkPlace | undefined;
    try {
      place = await this.#parts.network.join(uid);
    } catch (cause) {
      const message = `it cannot be given a network of its own: ${(cause as Error).message}`;
      throw new RuntimeError('CreateContainerError', message, { cause });
    }
    if (!place) throw new RuntimeError('CreateContainerError', 'this node has no address left for another pod');
    return place;
  }

  async #release(uid: string): Promise<void> {
    const own = [...this.#containers.values()].filter(({ pod }) => pod.uid === uid);
    await Promise.all(own.map((container) => container.stop(0)));
    await Promise.all(own.map((container) => container.remove()));
    // Volumes in memory that nobody has taken down, because the agent that made them is gone.
    if (isFileName(uid)) {
      await releaseMemory(volumesOf(this.#podDirectory(uid)));
      await rm(this.#podDirectory(uid), { recursive: true, force: true });
    }
    const { network } = this.#parts;
    const { namespace } = network.find(uid) ?? {};
    if (namespace !== undefined) await this.#innerConnections.leave(namespace);
    await network.leave(uid);
  }

  async pull(container: Container): Promise<PulledImage> {
    const name = container.image ?? '';
    const image = await this.#findImage(name);
    if (!image && !container.command?.length) throw unknownImage(name, this.#parts.imageMap?.path);
    const digest = createHash('sha256')
      .update(JSON.stringify(image ?? 'the machine itself'))
      .digest('hex');
    return { id: `process://${name.split('@')[0]}@sha256:${digest}` };
  }

  async start(plan: ContainerPlan): Promise<RunningContainer> {
    const image = await this.#findImage(plan.container.image ?? '');
    if (!image && plan.command.length === 0) throw unknownImage(plan.container.image ?? '', this.#parts.imageMap?.path);
    await this.#removeOld(plan);
    const id = this.#parts.ids.uid().replaceAll('-', '');
    const directory = this.#containerDirectory(id);
    try {
      const { namespaces } = this.#parts;
      const network = this.#parts.network.find(plan.pod.uid);
      const record = await startContainer({ id, directory, plan, image, namespaces, network, cgroups: () => this.#allCgroups(), around: this }); // prettier-ignore
      return await this.#add(record);
    } catch (error) {
      await this.#discard(id).catch((error: unknown) => this.logger.error('what is left of a container that did not start cannot be removed', { container: id, error })); // prettier-ignore
      throw error;
    }
  }

  async connect(pod: Pod, port: number, signal: AbortSignal): Promise<Duplex> {
    const place = pod.spec.hostNetwork ? undefined : this.#parts.network.find(pod.metadata.uid ?? '');
    if (place?.namespace === undefined) return dial(await this.#addressesFor(pod, port), port, signal);
    try {
      return await dial([place.address], port, signal);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ECONNREFUSED') throw error;
    }
    return this.#innerConnections.connect(place.namespace, { hosts: loopbackAddresses, port }, signal);
  }

  async list(): Promise<readonly RunningContainer[]> {
    return [...this.#containers.values()];
  }

  async close(): Promise<void> {
    await Promise.all([...this.#containers.values()].map((container) => container.close()));
    await (await this.#cgroups)?.close();
    this.table.close();
    await this.#innerConnections.close();
    await this.#parts.network.close();
    await this.#parts.lock.release();
  }

  async cgroupOf({ id, limited }: ContainerRecord): Promise<Cgroup | undefined> {
    return limited.length > 0 ? (await this.#allCgroups()).find(id, limited) : undefined;
  }

  forget({ record }: { readonly record: ContainerRecord }): void {
    this.#containers.delete(record.id);
  }

  async #addressesFor({ metadata: { uid = '' }, spec }: Pod, port: number): Promise<string[]> {
    if (spec.hostNetwork) return [...new Set([this.hostAddress, ...loopbackAddresses])];
    const { address } = this.#parts.network.find(uid) ?? {};
    if (address === undefined) throw new Error('the pod has no address');
    const running = [...this.#containers.values()].filter((container) => container.pod.uid === uid && !container.exit);
    const containers = new Set(running.map(({ record }) => record.id));
    return findOwnAddresses({ port, address, containers, holders: this.#holders });
  }

  get #containersDirectory(): string {
    return join(this.#parts.directory, 'containers');
  }

  #containerDirectory(id: string): string {
    return join(this.#containersDirectory, id);
  }

  #podDirectory(uid: string): string {
    return join(this.#parts.directory, 'pods', uid);
  }

  #allCgroups(): Promise<Cgroups> {
    this.#cgroups ??= this.#parts.findCgroups().catch((error: unknown) => {
      this.#cgroups = undefined;
      throw error;
    });
    return this.#cgroups;
  }

  async #findImage(name: string): Promise<Image | undefined> {
    const { imageMap, builtInImages } = this.#parts;
    return findImage(name, imageMap ? [await imageMap.current(), builtInImages] : [builtInImages]);
  }

  async #add(record: ContainerRecord): Promise<ProcessContainer> {
    const directory = this.#containerDirectory(record.id);
    const container = new ProcessContainer(record, directory, this);
    await container.open(await readResult(directory));
    this.#containers.set(record.id, container);
    return container;
  }

  async #takeUpContainer(id: string): Promise<void> {
    const directory = this.#containerDirectory(id);
    const record = await readRecord(directory);
    const names = new Set(await readdir(directory));
    // Without these its supervisor never came as far as to start anything.
    if (!record || !['stdout', 'stderr', 'events'].every((name) => names.has(name))) await this.#discard(id);
    else await this.#endStranded(await this.#add(record));
  }

  /** A container that runs on another network than its pod has now, because the node's was changed meanwhile, is ended for the agent to start anew. */
  async #endStranded(container: ProcessContainer): Promise<void> {
    const { network } = this.#parts;
    const { network: own, pod } = container.record;
    if (container.exit || own === 'host') return;
    const place = network.find(pod.uid);
    if (own === place?.namespace && (place || network.make === 'loopback')) return;
    this.logger.info('a container that runs on a network of before is ended', { ...pod, container: container.name });
    await container.stop(0);
  }

  /** Ends whatever there is of a container that did not start, and forgets it. */
  async #discard(id: string): Promise<void> {
    await killProcesses({ table: this.table, container: id, spared: new Set() }, this.clock);
    const record = await readRecord(this.#containerDirectory(id)).catch(() => undefined);
    if (record) await (await this.cgroupOf(record))?.remove();
    await rm(this.#containerDirectory(id), { recursive: true, force: true });
  }

  /** Of the attempts before this one, the last that ended is kept for its log. */
  async #removeOld({ pod, container, attempt }: ContainerPlan): Promise<void> {
    const old = [...this.#containers.values()]
      .filter((other) => other.pod.uid === pod.uid && other.name === container.name)
      .filter((other) => other.exit !== undefined && other.attempt < attempt)
      .sort((a, b) => b.attempt - a.attempt);
    for (const container of old.slice(1)) await container.remove();
  }
}

/** Whether a directory can go by this name among others. */
function isFileName(text: string): boolean {
  return /^[\w.-]+$/.test(text) && text !== '.' && text !== '..';
}
