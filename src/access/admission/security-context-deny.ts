import { pod as podKind, type Pod } from '../../kinds/core/pod.ts';
import type { Kind } from '../../kinds/kind.ts';
import type { AdmissionPlugin } from '../../registry/admission.ts';
import { refusal } from './refusal.ts';

const podFields = ['supplementalGroups', 'seLinuxOptions', 'runAsUser', 'fsGroup'] as const;
const containerFields = ['seLinuxOptions', 'runAsUser'] as const;

/** Refuses pods that choose the user, the groups or the SELinux label that they run with. */
export function securityContextDeny(): AdmissionPlugin {
  return {
    name: 'SecurityContextDeny',
    kinds: [podKind] as readonly Kind[],
    async mutate(attempt) {
      const { kind, subresource, object } = attempt;
      if (kind !== podKind || subresource !== undefined || !object) return;
      const fields = fieldsSet(object as Pod);
      if (fields.length > 0) throw refusal(attempt, `${fields.join(', ')} cannot be set on this server`);
    },
  };
}

function fieldsSet({ spec }: Pod): string[] {
  const ofPod = podFields.filter((field) => spec.securityContext?.[field] !== undefined);
  const ofContainers = (spec.containers ?? []).flatMap(({ securityContext }, i) =>
    containerFields
      .filter((field) => securityContext?.[field] !== undefined)
      .map((field) => `spec.containers[${i}].securityContext.${field}`),
  );
  return [...ofPod.map((field) => `spec.securityContext.${field}`), ...ofContainers];
}
