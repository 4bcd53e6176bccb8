import { isDeepStrictEqual } from 'node:util';
import { ifThere } from '../../client/if-there.ts';
import type { Informer } from '../../client/informer.ts';
import { keyOf, parseKey } from '../../client/object-name.ts';
import { pod as podKind, type Pod } from '../../kinds/core/pod.ts';
import { isFinished } from '../../kinds/core/pod/pod-state.ts';
import { podQuotaRule } from '../../kinds/core/quota/pod-quota-rule.ts';
import { countedKinds, quotaRuleOf } from '../../kinds/core/quota/quota-rules.ts';
import { resourceQuota as quotaKind, type ResourceQuota } from '../../kinds/core/resource-quota.ts';
import type { ApiObject } from '../../kinds/meta/object-meta.ts';
import type { Again, Controller, ControllerContext } from '../loop/controller.ts';
import type { KeySource } from '../loop/key-source.ts';
import { countUsage, isLower, type CountedObjects } from './quota-usage.ts';

/** Everything is counted again so often, whatever happened. */
const recountMs = 5 * 60_000;
/** How long nothing may have been charged before usage is lowered, and how long that is waited for at most. */
const quietMs = 200;
const longestMs = 2000;

/** Puts the bounds of quotas in force and counts what is used of them; what is gone makes room soon. */
export const resourceQuotas: Controller = {
  name: 'resourcequota-controller',
  start(context) {
    const { informers } = context;
    const quotas = informers.of(quotaKind);
    const pods = informers.of(podKind);
    const others = countedKinds.map((kind) => informers.metadataOf(kind));
    const counted: CountedObjects[] = [{ rule: podQuotaRule, list: (namespace) => pods.list(namespace) }];
    for (const informer of others) {
      const rule = quotaRuleOf(informer.kind);
      if (rule) counted.push({ rule, list: (namespace) => informer.list(namespace) });
    }
    const recount = new Recount(context, counted);
    return {
      sources: [boundsOf(quotas), roomMadeBy(pods, quotas), ...others.map((each) => roomMadeBy(each, quotas))],
      reconcile: (key) => recount.reconcile(key),
    };
  },
};

/** Only when the bounds change: usage is charged by whoever admits objects, and counting in between would overlook those on their way. */
function boundsOf(quotas: Informer<ResourceQuota>): KeySource {
  const look = (enqueue: (key: string) => void, quota: ResourceQuota): void => {
    if (!isDeepStrictEqual(quota.spec?.hard, quota.status?.hard)) enqueue(keyOf(quota));
  };
  return {
    synced: quotas.synced,
    subscribe: (enqueue) =>
      quotas.on({
        added: (quota) => enqueue(keyOf(quota)),
        updated: (_old, quota) => look(enqueue, quota),
      }),
  };
}

/** The quotas of a namespace in which something is gone, or a pod has ended. */
function roomMadeBy<T extends ApiObject>(informer: Informer<T>, quotas: Informer<ResourceQuota>): KeySource {
  return {
    synced: informer.synced,
    subscribe(enqueue) {
      const look = ({ metadata }: ApiObject): void => {
        for (const quota of quotas.list(metadata.namespace)) enqueue(keyOf(quota));
      };
      return informer.on({
        updated(old, object) {
          if (hasEnded(informer, object) && !hasEnded(informer, old)) look(object);
        },
        deleted: look,
      });
    },
  };
}

function hasEnded<T extends ApiObject>({ kind }: Informer<T>, object: ApiObject): boolean {
  return kind.kind === podKind.kind && isFinished(object as Pod);
}

/** A version of a quota whose usage is to be lowered; moments are in ticks. */
interface Sighting {
  readonly revision: string | undefined;
  readonly since: number;
  readonly first: number;
}

/**
 * An object is charged for before it is there. Usage is therefore lowered only when the quota has not been written for a moment, by when all that
 * was charged has come or been given back. Where it is written all the time, that is not waited for without end.
 */
class Recount {
  readonly #context: ControllerContext;
  readonly #counted: readonly CountedObjects[];
  readonly #sightings = new Map<string, Sighting>();

  constructor(context: ControllerContext, counted: readonly CountedObjects[]) {
    this.#context = context;
    this.#counted = counted;
  }

  async reconcile(key: string): Promise<Again | void> {
    const quota = await this.#read(key);
    if (!quota) {
      this.#sightings.delete(key);
      return;
    }
    const status = countUsage(quota, this.#counted);
    if (!isDeepStrictEqual(status, { hard: {}, used: {}, ...quota.status })) {
      const waitMs = isLower(status, quota.status) ? this.#waitFor(key, quota) : 0;
      if (waitMs > 0) return { after: waitMs };
      await this.#context.client.updateStatus(quotaKind, { ...quota, status });
    }
    this.#sightings.delete(key);
    return { after: recountMs };
  }

  /** How long to wait until usage may be lowered. */
  #waitFor(key: string, { metadata: { resourceVersion: revision } }: ResourceQuota): number {
    const now = this.#context.clock.ticks();
    const before = this.#sightings.get(key) ?? { revision, since: now, first: now };
    const sighting = before.revision === revision ? before : { ...before, revision, since: now };
    this.#sightings.set(key, sighting);
    return Math.min(sighting.since + quietMs - now, sighting.first + longestMs - now);
  }

  /** From the server itself: what was charged must not be overlooked. */
  #read(key: string): Promise<ResourceQuota | undefined> {
    return ifThere(this.#context.client.get(quotaKind, parseKey(key)));
  }
}
