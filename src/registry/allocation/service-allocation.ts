import { headless } from '../../kinds/core/service-spec.ts';
import { service as serviceKind, type Service } from '../../kinds/core/service.ts';
import type { Kind } from '../../kinds/kind.ts';
import type { ApiError } from '../../kinds/meta/api-error.ts';
import { invalid, serviceUnavailable } from '../../kinds/meta/api-error.ts';
import { FieldErrors } from '../../schema/field-errors.ts';
import { Path } from '../../schema/path.ts';
import type { AdmissionPlugin, Reservation } from '../admission.ts';
import type { Allocator } from './allocator.ts';

export interface ServiceAllocators {
  readonly clusterIPs: Allocator;
  readonly nodePorts: Allocator;
}

/** Gives services their addresses and node ports, and takes them back: asked-for ones are honoured or refused, others picked. */
export function serviceAllocation(allocators: ServiceAllocators): AdmissionPlugin {
  return {
    name: 'ServiceAllocation',
    kinds: [serviceKind] as readonly Kind[],
    async reserve({ kind, operation, object, old, dryRun }) {
      if (kind !== serviceKind) return undefined;
      const before = old && holdingsOf(old);
      if (operation === 'delete')
        return dryRun ? undefined : { settle: () => release(allocators, old as Service, before!) };
      const service = object as Service;
      const claims = new Claims(allocators, service, dryRun);
      try {
        if (before) await claims.keepAddress(before.clusterIP);
        else await claims.claimAddress();
        await claims.claimPorts(before?.nodePorts);
      } catch (error) {
        await claims.undo();
        throw error;
      }
      return claims.reservation(before);
    },
  };
}

/** What a service holds: its address, unless it has none, and its node ports. */
interface Holdings {
  readonly clusterIP: string | undefined;
  readonly nodePorts: ReadonlySet<number>;
}

export function holdingsOf({ spec }: Service): Holdings {
  const clusterIP = spec?.clusterIP && spec.clusterIP !== headless ? spec.clusterIP : undefined;
  return { clusterIP, nodePorts: new Set((spec?.ports ?? []).flatMap((port) => port.nodePort ?? [])) };
}

async function release(allocators: ServiceAllocators, { metadata }: Service, holdings: Holdings): Promise<void> {
  const holder = metadata.uid!;
  if (holdings.clusterIP) await allocators.clusterIPs.release(holdings.clusterIP, holder);
  for (const port of holdings.nodePorts) await allocators.nodePorts.release(String(port), holder);
}

const addressPath = Path.of('spec', 'clusterIP');

/** What one write claims for a service. */
class Claims {
  readonly #allocators: ServiceAllocators;
  readonly #service: Service;
  readonly #dryRun: boolean;
  readonly #held: { readonly allocator: Allocator; readonly value: string }[] = [];

  constructor(allocators: ServiceAllocators, service: Service, dryRun: boolean) {
    this.#allocators = allocators;
    this.#service = service;
    this.#dryRun = dryRun;
  }

  async claimAddress(): Promise<void> {
    const spec = this.#service.spec!;
    if (spec.clusterIP === headless) return;
    spec.clusterIP = await this.#claim(this.#allocators.clusterIPs, spec.clusterIP, addressPath);
  }

  /**
   * Addresses are given out once, to new services; one that had none can be written one later. As in the reference it need not be of the range then,
   * which is for an address that something else than this cluster leads to its nodes.
   */
  async keepAddress(before: string | undefined): Promise<void> {
    const { clusterIP = '' } = this.#service.spec!;
    if (clusterIP === '' || clusterIP === headless || clusterIP === before) return;
    const { clusterIPs } = this.#allocators;
    if (clusterIPs.range.includes(clusterIP)) await this.#claim(clusterIPs, clusterIP, addressPath);
  }

  async claimPorts(before: ReadonlySet<number> = new Set()): Promise<void> {
    const { type, ports } = this.#service.spec!;
    if (type !== 'NodePort' && type !== 'LoadBalancer') return;
    // A port of both protocols may share one number, so what this service claimed once it does not claim again.
    const mine = new Set(before);
    for (const [i, port] of ports.entries()) {
      if (port.nodePort && mine.has(port.nodePort)) continue;
      const path = Path.of('spec', 'ports').index(i).at('nodePort');
      const asked = port.nodePort ? String(port.nodePort) : undefined;
      port.nodePort = Number(await this.#claim(this.#allocators.nodePorts, asked, path));
      mine.add(port.nodePort);
    }
  }

  reservation(before: Holdings | undefined): Reservation {
    const after = holdingsOf(this.#service);
    return { undo: () => this.undo(), settle: () => this.#releaseUnused(before, after) };
  }

  async undo(): Promise<void> {
    for (const { allocator, value } of this.#held) await allocator.release(value, this.#service.metadata.uid!);
  }

  async #claim(allocator: Allocator, asked: string | undefined, path: Path): Promise<string> {
    const holder = this.#service.metadata.uid!;
    if (asked === undefined || asked === '') {
      const value = await allocator.claimAny(holder);
      if (value === undefined) throw serviceUnavailable(`all of ${allocator.range.toString()} is in use`);
      return this.#keep(allocator, value);
    }
    const claim = await allocator.claim(asked, holder);
    if (claim === 'claimed') return this.#keep(allocator, asked);
    throw this.#refusal(allocator, { asked, claim, path });
  }

  async #keep(allocator: Allocator, value: string): Promise<string> {
    if (this.#dryRun) await allocator.release(value, this.#service.metadata.uid!);
    else this.#held.push({ allocator, value });
    return value;
  }

  #refusal(allocator: Allocator, { asked, claim, path }: { asked: string; claim: string; path: Path }): ApiError {
    const errors = new FieldErrors();
    const range = allocator.range.toString();
    errors.invalid(path, asked, claim === 'taken' ? 'another service has it' : `it is not in the range ${range}`);
    return invalid({ kind: 'Service', name: this.#service.metadata.name }, errors.list);
  }

  async #releaseUnused(before: Holdings | undefined, after: Holdings): Promise<void> {
    if (!before || this.#dryRun) return;
    await release(this.#allocators, this.#service, {
      clusterIP: before.clusterIP === after.clusterIP ? undefined : before.clusterIP,
      nodePorts: new Set([...before.nodePorts].filter((port) => !after.nodePorts.has(port))),
    });
  }
}
