import { selfSubjectReview, type SelfSubjectReview } from '../../kinds/authentication/self-subject-review.ts';
import { tokenReview, type TokenReview } from '../../kinds/authentication/token-review.ts';
import type { UserInfo } from '../../kinds/authentication/user-info.ts';
import type { QuestionKind } from '../../registry/answered-kind.ts';
import type { User } from '../../registry/write.ts';
import type { TokenAuthenticator } from '../authn/authenticator.ts';

/** Tells senders who they are taken for. */
export function selfReview(): QuestionKind<SelfSubjectReview> {
  return {
    kind: selfSubjectReview,
    answer: async (review, { user }) => ({ ...review, status: { userInfo: userInfo(user) } }),
  };
}

/** Tells whose a token is. */
export function tokenReviews(tokens: TokenAuthenticator): QuestionKind<TokenReview> {
  return {
    kind: tokenReview,
    async answer(review) {
      const { token, audiences } = review.spec;
      const owner = await tokens.identify(token, audiences);
      if (!owner) return { ...review, status: { authenticated: false } };
      const status = {
        authenticated: true,
        user: userInfo(owner.user),
        audiences: owner.audiences && [...owner.audiences],
      };
      return { ...review, status };
    },
  };
}

function userInfo({ name, uid, groups, extra }: User): UserInfo {
  const copied = extra && Object.fromEntries(Object.entries(extra).map(([key, values]) => [key, [...values]]));
  return { username: name, uid, groups: [...groups], extra: copied };
}
