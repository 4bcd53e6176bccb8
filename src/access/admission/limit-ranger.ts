import { limitRange as limitRangeKind, type LimitRange } from '../../kinds/core/limit-range.ts';
import { pod as podKind, type Pod } from '../../kinds/core/pod.ts';
import type { Kind } from '../../kinds/kind.ts';
import type { AdmissionPlugin, Attempt } from '../../registry/admission.ts';
import type { StoredObject } from '../../registry/stored-object.ts';
import type { Storage } from '../../storage/storage.ts';
import { brokenBounds } from './limit-bounds.ts';
import { fillIn } from './limit-defaults.ts';
import { ObjectsByNamespace } from './objects-by-namespace.ts';
import { refusal } from './refusal.ts';

/** Holds pods to the limit ranges of their namespace: fills in what containers do not ask for, then refuses what is out of bounds. */
export function limitRanger(storage: Storage): AdmissionPlugin {
  const limitRanges = new ObjectsByNamespace(storage, limitRangeKind);
  return {
    name: 'LimitRanger',
    kinds: [podKind] as readonly Kind[],
    mutate(attempt) {
      const { subresource, object } = attempt;
      if (subresource !== undefined || !object) return undefined;
      const ranges = limitRanges.in(attempt.namespace);
      return ranges instanceof Promise ? ranges.then((found) => apply(found, attempt)) : apply(ranges, attempt);
    },
  };
}

function apply(stored: readonly StoredObject<LimitRange>[], attempt: Attempt): void {
  if (stored.length === 0) return;
  const ranges = stored.map(({ object }) => object);
  const pod = attempt.object as Pod;
  fillIn(pod, ranges, attempt.old as Pod | undefined);
  const broken = ranges.flatMap((range) => brokenBounds(pod.spec, range));
  if (broken.length > 0) throw refusal(attempt, broken.join('; '));
}
