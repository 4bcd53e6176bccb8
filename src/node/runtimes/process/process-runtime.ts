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
import type { AddressTable } from './addresses/address-table.ts';
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
import { findOwnAddresses, loopbackAddresses } from './ports/reach-port.ts';
import { SocketHolders } from './ports/socket-holders.ts';
import type { ProcessTable } from './proc/process-table.ts';

export interface ProcessRuntimeParts {
  readonly directory: string;
  readonly tools: HostTools;
  readonly lock: DirectoryLock;
  readonly addresses: AddressTable;
  readonly hostAddress: string;
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

/**
 * Runs containers as processes. What is known about a container is in its directory, written before it is acted on, so that an agent that is
 * killed at any moment leaves nothing that the next one does not find.
 */
export class ProcessRuntime implements Runtime, ContainerSurroundings {
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
  }

  /** Finds the containers that an earlier agent left. */
  async takeUp(): Promise<void> {
    await mkdir(this.#containersDirectory, { recursive: true, mode: 0o700 });
    for (const id of await readdir(this.#containersDirectory)) {
      try {
        await this.#takeUpContainer(id);
      } catch (error) {
        this.logger.error('a container cannot be taken up again', { container: id, error });
      }
    }
  }

  async preparePod(pod: Pod): Promise<PodPlace> {
    const { uid } = pod.metadata;
    if (!uid || /[^\w.-]/.test(uid)) throw new RuntimeError('CreateContainerError', `the pod's uid ${JSON.stringify(uid)} cannot name a directory`); // prettier-ignore
    const ip = pod.spec?.hostNetwork ? this.#parts.hostAddress : await this.#parts.addresses.claim(uid);
    if (ip === undefined) throw new RuntimeError('CreateContainerError', 'this node has no address left for another pod'); // prettier-ignore
    const directory = this.#podDirectory(uid);
    await mkdir(directory, { recursive: true, mode: 0o755 });
    return { ip, directory };
  }

  async releasePod({ uid }: PodId): Promise<void> {
    const own = [...this.#containers.values()].filter(({ pod }) => pod.uid === uid);
    await Promise.all(own.map((container) => container.stop(0)));
    await Promise.all(own.map((container) => container.remove()));
    await rm(this.#podDirectory(uid), { recursive: true, force: true });
    await this.#parts.addresses.release(uid);
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
      const record = await startContainer({ id, directory, plan, image, namespaces, cgroups: () => this.#allCgroups(), around: this }); // prettier-ignore
      return await this.#add(record);
    } catch (error) {
      await this.#discard(id);
      throw error;
    }
  }

  async connect(pod: Pod, port: number, signal: AbortSignal): Promise<Duplex> {
    return dial(await this.#addressesFor(pod, port), port, signal);
  }

  async list(): Promise<readonly RunningContainer[]> {
    return [...this.#containers.values()];
  }

  async close(): Promise<void> {
    await Promise.all([...this.#containers.values()].map((container) => container.close()));
    await (await this.#cgroups)?.close();
    await this.#parts.lock.release();
  }

  async cgroupOf({ id, limited }: ContainerRecord): Promise<Cgroup | undefined> {
    return limited.length > 0 ? (await this.#allCgroups()).find(id, limited) : undefined;
  }

  forget({ record }: { readonly record: ContainerRecord }): void {
    this.#containers.delete(record.id);
  }

  async #addressesFor({ metadata: { uid = '' }, spec }: Pod, port: number): Promise<string[]> {
    const { addresses, hostAddress } = this.#parts;
    if (spec.hostNetwork) return [...new Set([hostAddress, ...loopbackAddresses])];
    const address = addresses.find(uid);
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
    this.#cgroups ??= this.#parts.findCgroups();
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
    else await this.#add(record);
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
