import type { Subject } from '../../kinds/meta/api-error.ts';
import { ApiError, badRequest, conflict, invalid, notFound } from '../../kinds/meta/api-error.ts';
import type { ScaleRule } from '../../kinds/kind.ts';
import type { ApiObject } from '../../kinds/meta/object-meta.ts';
import type { AnyScale, ScaleForm } from '../../kinds/extensions/scale-form.ts';
import type { FieldErrors } from '../../schema/field-errors.ts';
import { Path } from '../../schema/path.ts';
import { validate } from '../../schema/validate.ts';
import { selfLink, subjectOf, type ObjectAddress } from '../address.ts';
import { decodeBody, type BodyType } from '../decode-body.ts';
import { get } from '../get.ts';
import { checkNamed } from '../object-rules.ts';
import { applyPatch } from '../patch/patch.ts';
import type { PatchRequest } from '../patch.ts';
import type { RegistryContext } from '../registry.ts';
import type { StoredObject } from '../stored-object.ts';
import { change } from '../update.ts';
import { revisionNamed, type FieldValidation, type WriteRequest } from '../write.ts';

/** A workload, and the form in which its scale is told and set. */
export interface ScaleAddress extends ObjectAddress {
  readonly form: ScaleForm;
}

export async function getScale(context: RegistryContext, address: ScaleAddress): Promise<AnyScale> {
  try {
    return present(address, await get(context, address));
  } catch (error) {
    if (error instanceof ApiError && error.code === 404) throw notFound(subjectsOf(address).whenMissing);
    throw error;
  }
}

export async function updateScale(
  context: RegistryContext,
  address: ScaleAddress,
  request: WriteRequest,
): Promise<AnyScale> {
  const scale = decodeScale(address, request.body, request.fieldValidation);
  const resourceVersion = revisionNamed(scale);
  const { object } = await change(context, address, request, {
    resourceVersion,
    subject: subjectsOf(address),
    next: (current) => withReplicas(address, current, scale),
  });
  return present(address, object);
}

export async function patchScale(
  context: RegistryContext,
  address: ScaleAddress,
  request: PatchRequest,
): Promise<AnyScale> {
  const { object } = await change(context, address, request, {
    subject: subjectsOf(address),
    missingNamesObject: true,
    next(current) {
      const document = present(address, current);
      const patched = applyPatch({ type: request.type, schema: address.form.schema, document, patch: request.body });
      const scale = decodeScale(address, patched, request.fieldValidation);
      const resourceVersion = revisionNamed(scale);
      if (resourceVersion && resourceVersion !== String(current.revision)) {
        throw conflict(subjectsOf(address).onConflict, 'the patch was made from another version; read it again');
      }
      return withReplicas(address, current, scale);
    },
  });
  return present(address, object);
}

export function scaleType({ apiVersion, schema }: ScaleForm): BodyType<AnyScale> {
  return { kind: 'Scale', apiVersion, schema };
}

function decodeScale(address: ScaleAddress, body: unknown, unknown: FieldValidation): AnyScale {
  const { group, schema } = address.form;
  const { object } = decodeBody(scaleType(address.form), body, unknown);
  checkNamed(address, object);
  checkNamespace(address, object);
  const errors = validate(schema, object);
  validateNamespace(address, object, errors);
  if (errors.any) throw invalid({ group, kind: 'Scale', name: address.name }, errors.list);
  return object;
}

function checkNamespace({ namespace }: ScaleAddress, { metadata }: AnyScale): void {
  if (!metadata.namespace || metadata.namespace === namespace) return;
  throw badRequest(`the body's namespace is "${metadata.namespace}", the path's is "${namespace}"`);
}

/** The scales that the reference has: those of the extensions group, and those of replication controllers wherever they are. */
function isOfReference({ form, served }: ScaleAddress): boolean {
  return form.group === 'extensions' || served.kind.group === '';
}

/** In the scales of the reference the namespace must be there. */
function validateNamespace(address: ScaleAddress, { metadata }: AnyScale, errors: FieldErrors): void {
  if (isOfReference(address) && !metadata.namespace) {
    errors.required(Path.of('metadata', 'namespace'), `give "${address.namespace}", as in the path`);
  }
}

function withReplicas(address: ScaleAddress, current: StoredObject, scale: AnyScale): ApiObject {
  const object = current.thaw();
  ruleOf(address).setReplicas(object, scale.spec?.replicas ?? 0);
  return object;
}

function present(address: ScaleAddress, stored: StoredObject): AnyScale & { readonly status: object } {
  const { namespace, name, form } = address;
  const { object } = stored;
  const rule = ruleOf(address);
  return {
    kind: 'Scale',
    apiVersion: form.apiVersion,
    metadata: {
      name,
      namespace,
      selfLink: linkTo(address),
      uid: object.metadata.uid,
      resourceVersion: String(stored.revision),
      creationTimestamp: object.metadata.creationTimestamp,
    },
    spec: specOf(rule.getReplicas(object)),
    status: { replicas: rule.getStatusReplicas(object), ...form.selectorFields(rule.getSelector(object)) },
  };
}

/** No replicas are told by leaving them out, as in the reference. */
function specOf(replicas: number): { replicas?: number } {
  return replicas === 0 ? {} : { replicas };
}

/** Replication controllers have a scale in the extensions group, too, where they are not otherwise. */
function linkTo({ served, namespace, name, form }: ScaleAddress): string {
  const prefix = form.group === 'extensions' ? `/apis/${form.apiVersion}` : served.prefix;
  return `${selfLink({ ...served, prefix }, namespace, name)}/scale`;
}

function ruleOf(address: ObjectAddress): ScaleRule<ApiObject> {
  const { scale, kind } = address.served.kind;
  if (!scale) throw new Error(`${kind} has no scale, yet it was routed`);
  return scale;
}

interface Subjects {
  readonly whenMissing: Subject;
  readonly onConflict: Subject;
}

/** In the scales of the reference a missing object is named by its sub-resource; on conflict only a controller that is of another group is. */
function subjectsOf(address: ScaleAddress): Subjects {
  const { form, served, name } = address;
  if (!isOfReference(address)) return { whenMissing: subjectOf(address), onConflict: subjectOf(address) };
  const group = form.group === 'extensions' ? form.group : served.group;
  const whole = { group, resource: served.kind.resource, name };
  const part = { ...whole, resource: `${whole.resource}/scale` };
  return { whenMissing: part, onConflict: served.kind.group === group ? whole : part };
}
