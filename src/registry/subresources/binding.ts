import { binding as bindingSchema, type Binding } from '../../kinds/core/binding.ts';
import type { Pod } from '../../kinds/core/pod.ts';
import { badRequest, conflict } from '../../kinds/meta/api-error.ts';
import type { Status } from '../../kinds/meta/status.ts';
import type { CollectionAddress } from '../address.ts';
import { decodeBody, type BodyType } from '../decode-body.ts';
import type { RegistryContext } from '../registry.ts';
import type { StoredObject } from '../stored-object.ts';
import { success } from '../success.ts';
import { change } from '../update.ts';
import type { WriteRequest } from '../write.ts';

export const bindingType: BodyType<Binding> = { kind: 'Binding', apiVersion: 'v1', schema: bindingSchema };

/**
 * Gives a pod its node, once. Like the reference it acts on the pod of the path's namespace that the body names, whatever else the two say; but, as in
 * its later releases, a body with a uid means that very pod.
 */
export async function bind(context: RegistryContext, pods: CollectionAddress, request: WriteRequest): Promise<Status> {
  const { object: binding } = decodeBody(bindingType, request.body, request.fieldValidation);
  const name = binding.metadata.name;
  if (!name) throw badRequest('a binding must name its pod in metadata.name');
  checkTarget(binding);
  const subject = { resource: 'pods/binding', name };
  await change(context, { ...pods, name }, request, {
    subresource: 'binding',
    subject: { whenMissing: { resource: 'pods', name }, onConflict: subject },
    next(current) {
      const pod = (current as StoredObject<Pod>).thaw();
      const { uid } = binding.metadata;
      if (uid && uid !== pod.metadata.uid) throw conflict(subject, `the pod there now has another uid than ${uid}`);
      if (pod.metadata.deletionTimestamp) throw conflict(subject, 'the pod is being deleted');
      if (pod.spec?.nodeName) throw conflict(subject, `the pod is on node "${pod.spec.nodeName}" already`);
      pod.spec.nodeName = binding.target.name;
      const { annotations } = binding.metadata;
      if (annotations) pod.metadata.annotations = { ...pod.metadata.annotations, ...annotations };
      return pod;
    },
  });
  return success();
}

function checkTarget({ target }: Binding): void {
  const kind = target?.kind || 'Node';
  if (kind !== 'Node') throw badRequest(`a pod can be bound to a Node, not to a ${kind}`);
  if (!target?.name) throw badRequest('a binding must name its node in target.name');
}
