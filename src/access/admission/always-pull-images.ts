import { pod as podKind, type Pod } from '../../kinds/core/pod.ts';
import type { Kind } from '../../kinds/kind.ts';
import type { AdmissionPlugin } from '../../registry/admission.ts';

/**
 * Makes every container fetch its image anew, so that nobody runs a private image only because a node has it already. An older pod keeps its
 * policy: that cannot be changed.
 */
export function alwaysPullImages(): AdmissionPlugin {
  return {
    name: 'AlwaysPullImages',
    kinds: [podKind] as readonly Kind[],
    async mutate({ kind, subresource, object, old }) {
      if (kind !== podKind || subresource !== undefined || !object) return;
      const before = (old as Pod | undefined)?.spec.containers;
      ((object as Pod).spec.containers ?? []).forEach((container, i) => {
        if (!before || before[i]?.imagePullPolicy === 'Always') container.imagePullPolicy = 'Always';
      });
    },
  };
}
