import type { Logger } from '../base/logger.ts';
import type { Kind } from '../kinds/kind.ts';
import type { ApiObject } from '../kinds/meta/object-meta.ts';
import type { User } from './write.ts';

/** A write that is about to happen. */
export interface Attempt {
  readonly operation: 'create' | 'update' | 'delete';
  readonly kind: Kind;
  /** The group that the client wrote in, which refusals name; the kind's own when absent. */
  readonly group?: string;
  /** Empty for kinds of the cluster. */
  readonly namespace: string;
  /** What refusals call the object: its generateName where the name is made up, which nobody has seen yet. Empty when a collection is deleted. */
  readonly name: string;
  readonly subresource?: string;
  /** What is to be stored; absent for delete. `mutate` may change it. */
  readonly object?: ApiObject;
  /** What is stored; absent for create. Read-only. */
  readonly old?: ApiObject;
  readonly user: User;
  readonly dryRun: boolean;
}

/** What a plugin set aside for a write. */
export interface Reservation {
  /** The write did not happen: give back what was set aside. */
  undo?(): Promise<void>;
  /** The write happened: let go of what it made free. */
  settle?(): Promise<void>;
}

/** A say in every write. A plugin refuses by throwing an `ApiError`. */
export interface AdmissionPlugin {
  readonly name: string;
  /** Whose writes it has a say in; those of all kinds when absent. */
  readonly kinds?: readonly Kind[];
  /** Before validation: may change the object. */
  mutate?(attempt: Attempt): void | Promise<void>;
  /** After validation, in the chain's order, just before the commit. May still fill in what is given out once only. */
  reserve?(attempt: Attempt): Reservation | undefined | Promise<Reservation | undefined>;
}

export type Admission = readonly AdmissionPlugin[];

export interface ChainContext {
  readonly admission: Admission;
  readonly logger: Logger;
}

const chainsByKind = new WeakMap<Admission, Map<Kind, Admission>>();

/** The plugins that look at writes of a kind: most have nothing to say about most. */
function concernedWith(kind: Kind, chain: Admission): Admission {
  let chains = chainsByKind.get(chain);
  if (!chains) chainsByKind.set(chain, (chains = new Map<Kind, Admission>()));
  let concerned = chains.get(kind);
  if (!concerned) chains.set(kind, (concerned = chain.filter(({ kinds }) => !kinds || kinds.includes(kind))));
  return concerned;
}

export async function mutate(chain: Admission, attempt: Attempt): Promise<void> {
  for (const plugin of concernedWith(attempt.kind, chain)) {
    const done = plugin.mutate?.(attempt);
    // Every write comes through here, and most plugins have nothing to wait for.
    if (done) await done;
  }
}

/**
 * Lets every plugin reserve, then runs `commit`; what was reserved is given back if anything fails on the way. A write that is committed
 * stands, so that whatever fails behind it is only told in the log.
 */
export async function admitAndCommit<T>(context: ChainContext, attempt: Attempt, commit: () => Promise<T>): Promise<T> {
  const reservations: Reservation[] = [];
  let result: T;
  try {
    for (const plugin of concernedWith(attempt.kind, context.admission)) {
      const reserved = plugin.reserve?.(attempt);
      const reservation = reserved instanceof Promise ? await reserved : reserved;
      if (reservation) reservations.push(reservation);
    }
    result = await commit();
  } catch (error) {
    for (const reservation of reservations.reverse()) await finish(context, attempt, () => reservation.undo?.());
    throw error;
  }
  for (const reservation of reservations) await finish(context, attempt, () => reservation.settle?.());
  return result;
}

/** Each reservation is finished, whatever becomes of the others. */
async function finish(
  { logger }: ChainContext,
  { kind, namespace, name }: Attempt,
  end: () => Promise<void> | undefined,
): Promise<void> {
  try {
    await end();
  } catch (error) {
    logger.warn('what was set aside for a write was not put right', { kind: kind.kind, namespace, name, error });
  }
}
