import { limitRange as limitRangeKind } from '../../kinds/core/limit-range.ts';
import { pod as podKind, type Pod } from '../../kinds/core/pod.ts';
import type { Kind } from '../../kinds/kind.ts';
import type { AdmissionPlugin } from '../../registry/admission.ts';
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
    async mutate(attempt) {
      const { kind, subresource, object, old } = attempt;
      if (kind !== podKind || subresource !== undefined || !object) return;
      const ranges = (await limitRanges.in(attempt.namespace)).map((stored) => stored.object);
      if (ranges.length === 0) return;
      const pod = object as Pod;
      fillIn(pod, ranges, old as Pod | undefined);
      const broken = ranges.flatMap((range) => brokenBounds(pod.spec, range));
      if (broken.length > 0) throw refusal(attempt, broken.join('; '));
    },
  };
}
