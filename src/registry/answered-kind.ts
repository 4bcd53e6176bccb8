import type { Kind } from '../kinds/kind.ts';
import { badRequest, invalid } from '../kinds/meta/api-error.ts';
import type { ApiObject } from '../kinds/meta/object-meta.ts';
import { servedVersions } from '../kinds/served-version.ts';
import { validate } from '../schema/validate.ts';
import type { ComputedKind } from './computed-kind.ts';
import { decodeObject } from './decode-body.ts';
import { settleNamespace } from './object-rules.ts';
import type { User, WriteRequest } from './write.ts';

/** A kind that is served without being stored. */
export type AnsweredKind<T extends ApiObject = ApiObject> = QuestionKind<T> | ComputedKind<T>;

export function isQuestion(kind: AnsweredKind): kind is QuestionKind {
  return 'answer' in kind;
}

/** A kind whose objects are created only to be answered: a question, or a wish. Nothing of them is stored. */
export interface QuestionKind<T extends ApiObject = ApiObject> {
  /** In a single version, with the verb `create` alone. */
  readonly kind: Kind<T>;
  /** Where it is asked of an object: `serviceaccounts/<name>/token`. Absent for a kind with a path of its own. */
  readonly parent?: AnsweringParent;
  /** The answer, from an object that keeps to its schema. Refuses by throwing an `ApiError`. */
  answer(object: T, question: Question): Promise<T>;
}

export interface AnsweringParent {
  readonly kind: Kind;
  readonly subresource: string;
}

/** Who asks, and where. */
export interface Question {
  readonly user: User;
  readonly dryRun: boolean;
  /** Empty for kinds of the cluster. */
  readonly namespace: string;
  /** The object that is asked about; empty where there is none. */
  readonly name: string;
}

export interface GivenAnswer {
  readonly object: ApiObject;
  readonly code: number;
  readonly warnings: readonly string[];
}

/** Reads a body, checks it and has it answered: the way of every write, but for the storing. */
export async function answerBody(
  answered: QuestionKind,
  place: { readonly namespace?: string; readonly name?: string },
  request: WriteRequest,
): Promise<GivenAnswer> {
  const served = servedVersions(answered.kind)[0]!;
  const { object, warnings } = decodeObject(served, request.body, request.fieldValidation);
  settleNamespace({ served, namespace: place.namespace }, object);
  if (place.name !== undefined) settleName(object, place.name);
  const errors = validate(answered.kind.schema, object);
  const { group, kind } = answered.kind;
  if (errors.any) throw invalid({ group, kind, name: object.metadata.name }, errors.list);
  const { user, dryRun } = request;
  const question = { user, dryRun, namespace: place.namespace ?? '', name: place.name ?? '' };
  return { object: await answered.answer(object, question), code: served.createdCode, warnings };
}

function settleName(object: ApiObject, name: string): void {
  const given = object.metadata.name;
  if (given && given !== name) throw badRequest(`the body's name is "${given}", the path's is "${name}"`);
  object.metadata.name = name;
}
