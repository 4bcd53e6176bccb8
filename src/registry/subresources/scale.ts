import type { Subject } from '../../kinds/meta/api-error.ts';
import { ApiError, badRequest, invalid, notFound } from '../../kinds/meta/api-error.ts';
import type { ScaleRule } from '../../kinds/kind.ts';
import type { ApiObject } from '../../kinds/meta/object-meta.ts';
import { scale as scaleSchema, type Scale } from '../../kinds/extensions/scale.ts';
import { validate } from '../../schema/validate.ts';
import type { ObjectAddress } from '../address.ts';
import { decodeBody } from '../decode-body.ts';
import { get } from '../get.ts';
import { checkNamed } from '../object-rules.ts';
import { applyPatch } from '../patch/patch.ts';
import type { PatchRequest } from '../patch.ts';
import type { RegistryContext } from '../registry.ts';
import type { StoredObject } from '../stored-object.ts';
import { change } from '../update.ts';
import type { FieldValidation, WriteRequest } from '../write.ts';

const apiVersion = 'extensions/v1beta1';
const type = { kind: 'Scale', apiVersion, schema: scaleSchema };

export async function getScale(context: RegistryContext, address: ObjectAddress): Promise<Scale> {
  try {
    return present(address, await get(context, address));
  } catch (error) {
    if (error instanceof ApiError && error.code === 404) throw notFound(scaleSubject(address));
    throw error;
  }
}

export async function updateScale(
  context: RegistryContext,
  address: ObjectAddress,
  request: WriteRequest,
): Promise<Scale> {
  const scale = decodeScale(address, request.body, request.fieldValidation);
  const { resourceVersion } = scale.metadata;
  const { object } = await change(context, address, request, {
    resourceVersion,
    subject: subjectsOf(address),
    next: (current) => withReplicas(address, current, scale),
  });
  return present(address, object);
}

export async function patchScale(
  context: RegistryContext,
  address: ObjectAddress,
  request: PatchRequest,
): Promise<Scale> {
  const { object } = await change(context, address, request, {
    subject: subjectsOf(address),
    missingNamesObject: true,
    next(current) {
      const document = present(address, current);
      const patched = applyPatch({ type: request.type, schema: scaleSchema, document, patch: request.body });
      return withReplicas(address, current, decodeScale(address, patched, request.fieldValidation));
    },
  });
  return present(address, object);
}

function decodeScale(address: ObjectAddress, body: unknown, unknown: FieldValidation): Scale {
  const { object } = decodeBody(type, body, unknown);
  checkNamed(address, object);
  if (object.metadata.namespace !== address.namespace) {
    throw badRequest(`the body's metadata.namespace must be "${address.namespace}", as in the path`);
  }
  const errors = validate(scaleSchema, object);
  if (errors.any) throw invalid({ group: 'extensions', kind: 'Scale', name: address.name }, errors.list);
  return object;
}

function withReplicas(address: ObjectAddress, current: StoredObject, scale: Scale): ApiObject {
  const object = current.thaw();
  ruleOf(address).setReplicas(object, scale.spec?.replicas ?? 0);
  return object;
}

function present(address: ObjectAddress, stored: StoredObject): Scale {
  const { namespace, name } = address;
  const { object } = stored;
  const rule = ruleOf(address);
  const selector = rule.getSelector(object);
  return {
    kind: 'Scale',
    apiVersion,
    metadata: {
      name,
      namespace,
      selfLink: `/apis/${apiVersion}/namespaces/${namespace}/${address.served.kind.resource}/${name}/scale`,
      uid: object.metadata.uid,
      resourceVersion: String(stored.revision),
      creationTimestamp: object.metadata.creationTimestamp,
    },
    spec: { replicas: rule.getReplicas(object) },
    status: {
      replicas: rule.getStatusReplicas(object),
      selector: selector.labels,
      targetSelector: selector.text,
    },
  };
}

function ruleOf(address: ObjectAddress): ScaleRule<ApiObject> {
  const { scale, kind } = address.served.kind;
  if (!scale) throw new Error(`${kind} has no scale, yet it was routed`);
  return scale;
}

function scaleSubject(address: ObjectAddress): Subject {
  return { group: 'extensions', resource: `${address.served.kind.resource}/scale`, name: address.name };
}

/** The reference names the sub-resource when the object is missing, but on conflict only for replication controllers. */
function subjectsOf(address: ObjectAddress): { whenMissing: Subject; onConflict: Subject } {
  const { kind } = address.served;
  const whole = { group: 'extensions', resource: kind.resource, name: address.name };
  return { whenMissing: scaleSubject(address), onConflict: kind.group === '' ? scaleSubject(address) : whole };
}
