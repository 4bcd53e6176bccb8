import { every, type Clock, type Timer } from '../../base/clock.ts';
import type { Logger } from '../../base/logger.ts';
import { service as serviceKind, type Service } from '../../kinds/core/service.ts';
import type { Storage } from '../../storage/storage.ts';
import { collectionPrefix } from '../address.ts';
import type { Allocator } from './allocator.ts';
import { holdingsOf, type ServiceAllocators } from './service-allocation.ts';

/** Something about a service that its user has to put right. */
export type RepairReport = (service: Service, reason: string, message: string) => void;

export interface RepairOptions {
  readonly storage: Storage;
  readonly allocators: ServiceAllocators;
  readonly clock: Clock;
  readonly logger: Logger;
  /** Tells users; what is reported is in the log, too. */
  readonly report?: RepairReport;
}

const betweenRoundsMs = 3 * 60_000;

/**
 * Keeps what is claimed for services and what services have in agreement, which a crash between two writes can break. Claims without a service are
 * released, not at first sight but when the next round still finds them: the service that a claim is for may be about to be stored.
 */
export class AllocationRepair {
  readonly #options: RepairOptions;
  /** Claims for which no service was found in the last round, as `value holder`. */
  readonly #leaks = new Map<Allocator, ReadonlySet<string>>();
  #timer: Timer | undefined;
  #running: Promise<void> = Promise.resolve();

  constructor(options: RepairOptions) {
    this.#options = options;
  }

  /** Does a first round, and further ones from time to time until it is closed. */
  static async open(options: RepairOptions): Promise<AllocationRepair> {
    const repair = new AllocationRepair(options);
    await repair.round();
    repair.#timer = every(options.clock, betweenRoundsMs, () => {
      repair.#running = repair.#running
        .then(() => repair.round())
        .catch((error: unknown) => options.logger.warn('claims of services could not be looked through', { error }));
    });
    return repair;
  }

  async round(): Promise<void> {
    const { clusterIPs, nodePorts } = this.#options.allocators;
    // Claims are read before services: a service that comes in between has a claim that is merely not looked at this time.
    const claims = { clusterIPs: await clusterIPs.claims(), nodePorts: await nodePorts.claims() };
    const services = await this.#services();
    await this.#settle(
      { allocator: clusterIPs, what: 'ClusterIP', claims: claims.clusterIPs },
      services.map((service) => ({ service, values: listOf(holdingsOf(service).clusterIP) })),
    );
    await this.#settle(
      { allocator: nodePorts, what: 'NodePort', claims: claims.nodePorts },
      services.map((service) => ({ service, values: [...holdingsOf(service).nodePorts].map(String) })),
    );
  }

  async close(): Promise<void> {
    this.#timer?.cancel();
    await this.#running;
  }

  async #services(): Promise<Service[]> {
    const { entries } = await this.#options.storage.list(collectionPrefix(serviceKind));
    return entries.map(({ value }) => JSON.parse(value.toString('utf8')) as Service);
  }

  async #settle({ allocator, what, claims }: Range, holders: readonly Holder[]): Promise<void> {
    const holderOf = new Map(claims.map(({ value, holder }) => [value, holder]));
    const used = new Set<string>();
    const present = new Set(holders.map(({ service }) => service.metadata.uid));
    for (const { service, values } of holders) {
      for (const value of values) {
        used.add(claimText(value, service.metadata.uid));
        const holder = holderOf.get(value);
        if (holder === service.metadata.uid) continue;
        await this.#claim({ allocator, what, service, value, isHolderPresent: present.has(holder) });
      }
    }
    await this.#release(
      allocator,
      claims.filter(({ value, holder }) => !used.has(claimText(value, holder))),
    );
  }

  async #claim({ allocator, what, service, value, isHolderPresent }: MissingClaim): Promise<void> {
    const { uid = '' } = service.metadata;
    const claim = await allocator.claim(value, uid);
    if (claim === 'claimed') {
      this.#options.logger.info('a service had a value that was not claimed for it', { ...subjectOf(service), value });
    } else if (claim === 'outside') {
      const message = `${value} is not in the range ${allocator.range.toString()}; make the service anew`;
      this.#tell(service, `${what}OutOfRange`, message);
    } else if (isHolderPresent) {
      this.#tell(service, `${what}AlreadyAllocated`, `${value} belongs to another service, too; make the service anew`);
    }
    // Otherwise the holder is gone: its claim is released soon, and then this service gets it.
  }

  async #release(allocator: Allocator, unused: readonly Claimed[]): Promise<void> {
    const before = this.#leaks.get(allocator);
    const leaks = new Set<string>();
    for (const { value, holder } of unused) {
      const text = claimText(value, holder);
      if (!before?.has(text)) {
        leaks.add(text);
        continue;
      }
      await allocator.release(value, holder);
      this.#options.logger.info('a value was claimed for a service that is not there; it is free now', { value });
    }
    this.#leaks.set(allocator, leaks);
  }

  #tell(service: Service, reason: string, message: string): void {
    this.#options.logger.warn(message, { ...subjectOf(service), reason });
    this.#options.report?.(service, reason, message);
  }
}

interface Claimed {
  readonly value: string;
  readonly holder: string;
}

interface Range {
  readonly allocator: Allocator;
  readonly what: string;
  readonly claims: readonly Claimed[];
}

interface Holder {
  readonly service: Service;
  readonly values: readonly string[];
}

interface MissingClaim extends Omit<Range, 'claims'> {
  readonly service: Service;
  readonly value: string;
  readonly isHolderPresent: boolean;
}

function listOf(value: string | undefined): string[] {
  return value === undefined ? [] : [value];
}

function claimText(value: string, holder = ''): string {
  return `${value} ${holder}`;
}

function subjectOf({ metadata: { namespace, name } }: Service): { namespace?: string; service?: string } {
  return { namespace, service: name };
}
