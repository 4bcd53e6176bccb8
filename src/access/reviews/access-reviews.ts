import {
  selfSubjectAccessReview,
  type SelfSubjectAccessReview,
} from '../../kinds/authorization/self-subject-access-review.ts';
import {
  localSubjectAccessReview,
  subjectAccessReview,
  type SubjectAccessReview,
  type SubjectAccessReviewSpec,
} from '../../kinds/authorization/subject-access-review.ts';
import type { AccessReviewStatus, AskedAction } from '../../kinds/authorization/asked-action.ts';
import type { QuestionKind } from '../../registry/answered-kind.ts';
import type { User } from '../../registry/write.ts';
import type { Authorizer } from '../authz/authorizer.ts';
import type { RequestAction } from '../authz/request-action.ts';

/** The three ways to ask whether something is allowed. */
export function accessReviews(authorizer: Authorizer): readonly QuestionKind[] {
  const own: QuestionKind<SelfSubjectAccessReview> = {
    kind: selfSubjectAccessReview,
    answer: async (review, { user }) => ({ ...review, status: await ask(authorizer, user, review.spec) }),
  };
  const answerSubject = async (review: SubjectAccessReview): Promise<SubjectAccessReview> => ({
    ...review,
    status: await ask(authorizer, userFrom(review.spec), review.spec),
  });
  return [
    own,
    { kind: subjectAccessReview, answer: answerSubject },
    { kind: localSubjectAccessReview, answer: answerSubject },
  ];
}

async function ask(authorizer: Authorizer, user: User, asked: AskedAction): Promise<AccessReviewStatus> {
  const { allowed, reason } = await authorizer.authorize(user, actionFrom(asked));
  return reason ? { allowed, reason } : { allowed };
}

function userFrom({ user = '', groups = [], uid, extra }: SubjectAccessReviewSpec): User {
  return { name: user, groups, uid, extra };
}

function actionFrom({ resourceAttributes, nonResourceAttributes }: AskedAction): RequestAction {
  if (!resourceAttributes) {
    const { verb = '', path = '' } = nonResourceAttributes ?? {};
    return { verb, path };
  }
  const { verb = '', group = '', version, resource = '', subresource, namespace, name } = resourceAttributes;
  const fields = name === undefined ? undefined : new Map([['metadata.name', name]]);
  return { verb, path: '', group, version, resource, subresource, namespace, name, fields };
}
