import type { ObjectSchema } from '../../schema/schema.ts';
import { selfSubjectReview } from '../authentication/self-subject-review.ts';
import { tokenRequest } from '../authentication/token-request.ts';
import { tokenReview } from '../authentication/token-review.ts';
import { selfSubjectAccessReview } from '../authorization/self-subject-access-review.ts';
import { selfSubjectRulesReview } from '../authorization/self-subject-rules-review.ts';
import { localSubjectAccessReview, subjectAccessReview } from '../authorization/subject-access-review.ts';
import { binding } from '../core/binding.ts';
import { deploymentRollback } from '../extensions/deployment-rollback.ts';
import { autoscalingForm, extensionsForm } from '../extensions/scale-form.ts';
import { kinds } from '../index.ts';
import { deleteOptions } from '../meta/delete-options.ts';
import { servedVersions } from '../served-version.ts';

/** A type that a request's body can be of. */
export interface BodySchema {
  readonly what: string;
  readonly schema: ObjectSchema;
}

/** Every type that a request's body can be of, in every version. */
export function bodySchemas(): readonly BodySchema[] {
  const stored = kinds.flatMap(servedVersions).map(({ kind, apiVersion, schema }) => ({
    what: `${kind.kind} of ${apiVersion}`,
    schema: schema as ObjectSchema,
  }));
  return [...stored, ...questions.map(({ schema }) => named(schema)), ...others.map(named)];
}

const questions = [
  selfSubjectReview,
  tokenRequest,
  tokenReview,
  selfSubjectAccessReview,
  selfSubjectRulesReview,
  subjectAccessReview,
  localSubjectAccessReview,
];

const others: readonly ObjectSchema[] = [
  binding,
  deploymentRollback,
  extensionsForm.schema,
  autoscalingForm.schema,
  deleteOptions,
];

function named(schema: ObjectSchema): BodySchema {
  return { what: schema.name, schema };
}
