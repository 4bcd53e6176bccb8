import { long, object, one, string, stringMap, type FieldsOf } from '../../schema/builders.ts';
import type { FieldErrors } from '../../schema/field-errors.ts';
import type { Path } from '../../schema/path.ts';
import type { ObjectSchema } from '../../schema/schema.ts';
import { validateAnnotations, type ObjectMeta } from '../meta/object-meta.ts';

const rollbackConfigFields = {
  revision: long('Revision to go back to; 0 or absent is the one before the last.', { min: 0 }),
};
export interface RollbackConfig extends FieldsOf<typeof rollbackConfigFields> {}
export const rollbackConfig: ObjectSchema<RollbackConfig> = object(
  'v1beta1.RollbackConfig',
  'Where a deployment goes back to.',
  rollbackConfigFields,
);

/** Where apps/v1 has the wish to go back, which its spec has no field for. */
const rollbackAnnotation = 'deprecated.deployment.rollback.to';

const revisionShape = /^(?:0|[1-9]\d*)$/;

function isRevision(text: string): boolean {
  return revisionShape.test(text) && Number.isSafeInteger(Number(text));
}

/** The wish that an annotation states, and the metadata without it. What is no revision stays an annotation. */
export function takeRollback(metadata: ObjectMeta): {
  readonly metadata: ObjectMeta;
  readonly rollbackTo?: RollbackConfig;
} {
  const { annotations, ...rest } = metadata;
  const { [rollbackAnnotation]: text, ...others } = annotations ?? {};
  if (text === undefined || !isRevision(text)) return { metadata };
  const rollbackTo = text === '0' ? {} : { revision: Number(text) };
  return { metadata: Object.keys(others).length > 0 ? { ...rest, annotations: others } : rest, rollbackTo };
}

/** The metadata with the annotation that states the wish. */
export function noteRollback(metadata: ObjectMeta, { revision = 0 }: RollbackConfig): ObjectMeta {
  return { ...metadata, annotations: { ...metadata.annotations, [rollbackAnnotation]: String(revision) } };
}

const deploymentRollbackFields = {
  kind: string('Always DeploymentRollback.').defaultsTo('DeploymentRollback'),
  apiVersion: string('Group and version that the request is written in.').defaultsTo('extensions/v1beta1'),
  name: string('Name of the deployment.').mandatory(),
  updatedAnnotations: stringMap('Annotations that the deployment gets with it.'),
  rollbackTo: one(rollbackConfig, 'Where to go back to.').mandatory().defaultsTo({}),
};
export interface DeploymentRollback extends FieldsOf<typeof deploymentRollbackFields> {}
/** The body of a request for a rollback. It is carried out, not stored. */
export const deploymentRollback: ObjectSchema<DeploymentRollback> = object(
  'v1beta1.DeploymentRollback',
  'Asks to bring back an earlier state of a deployment.',
  deploymentRollbackFields,
  { validate: validateUpdatedAnnotations },
);

function validateUpdatedAnnotations(rollback: DeploymentRollback, path: Path, errors: FieldErrors): void {
  if (rollback.updatedAnnotations)
    validateAnnotations(rollback.updatedAnnotations, path.at('updatedAnnotations'), errors);
}
