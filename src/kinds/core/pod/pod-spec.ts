import { boolean, list, long, object, one, oneOf, string, stringMap, type FieldsOf } from '../../../schema/builders.ts';
import { dnsSubdomain } from '../../../schema/formats.ts';
import type { ObjectSchema } from '../../../schema/schema.ts';
import { localObjectReference } from '../object-reference.ts';
import { container } from './container.ts';
import { podSecurityContext } from './security-context.ts';
import { validatePodSpec } from './pod-spec-rules.ts';
import { volume } from './volume.ts';

const podSpecFields = {
  volumes: list(volume, 'Storage that the containers can mount.').mergeBy('name'),
  containers: list(container, 'The programs of the pod; at least one.').mandatory().mergeBy('name'),
  restartPolicy: oneOf(['Always', 'OnFailure', 'Never'], 'When containers that ended are started again.').defaultsTo(
    'Always',
  ),
  terminationGracePeriodSeconds: long('Seconds that the containers get to end by themselves.')
    .keepZero()
    .defaultsTo(30),
  activeDeadlineSeconds: long('Seconds after which the pod is ended, whatever it does.', { min: 1 }).keepZero(),
  dnsPolicy: oneOf(['ClusterFirst', 'Default'], 'Where names are looked up first.').defaultsTo('ClusterFirst'),
  nodeSelector: stringMap('Labels that the node must have.'),
  serviceAccountName: string('Service account that the pod acts as.', dnsSubdomain),
  serviceAccount: string('Older name of serviceAccountName.'),
  nodeName: string('Node that the pod runs on; set by the scheduler.', dnsSubdomain),
  hostNetwork: boolean('Whether the pod uses the network of its node.'),
  hostPID: boolean('Whether the pod sees the processes of its node.'),
  hostIPC: boolean('Whether the pod uses the inter-process communication of its node.'),
  securityContext: one(podSecurityContext, 'With which rights the containers run.').defaultsTo({}),
  imagePullSecrets: list(localObjectReference, 'Secrets with which images are fetched.').mergeBy('name'),
};
export interface PodSpec extends FieldsOf<typeof podSpecFields> {}
export const podSpec: ObjectSchema<PodSpec> = object('v1.PodSpec', 'What a pod is to be.', podSpecFields, {
  complete: completePodSpec,
  validate: validatePodSpec,
});

/** What the reference lets a pod omit: both names of the service account, and host ports where the pod is on the host's network. */
function completePodSpec(spec: PodSpec): void {
  const account = spec.serviceAccountName ?? spec.serviceAccount;
  if (account !== undefined) Object.assign(spec, { serviceAccountName: account, serviceAccount: account });
  if (!spec.hostNetwork) return;
  for (const port of (spec.containers ?? []).flatMap((container) => container.ports ?? [])) {
    if (port.containerPort !== 0) port.hostPort ??= port.containerPort;
  }
}
