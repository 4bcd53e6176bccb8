import type { User } from '../../registry/write.ts';
import { notAllowed, type Authorizer, type RightsList, type Verdict } from './authorizer.ts';
import type { RequestAction } from './request-action.ts';

/** Allowed is what one of them allows. */
export function firstAllowing(authorizers: readonly Authorizer[]): Authorizer {
  return {
    authorize(user, action) {
      for (let index = 0; index < authorizers.length; index++) {
        const verdict = authorizers[index]!.authorize(user, action);
        if (verdict instanceof Promise) return askFrom(authorizers, index, { user, action, first: verdict });
        if (verdict.allowed) return verdict;
      }
      return notAllowed;
    },
    async rightsOf(user, namespace) {
      const lists: RightsList[] = [];
      for (const authorizer of authorizers) lists.push(await authorizer.rightsOf(user, namespace));
      const reasons = lists.flatMap(({ incomplete }) => incomplete ?? []);
      return {
        rules: lists.flatMap(({ rules }) => rules),
        incomplete: reasons.length > 0 ? reasons.join('; ') : undefined,
      };
    },
  };
}

interface Question {
  readonly user: User;
  readonly action: RequestAction;
  /** What the one at the index will say. */
  readonly first: Promise<Verdict>;
}

/** Goes on where one of them has to look things up. */
async function askFrom(authorizers: readonly Authorizer[], index: number, question: Question): Promise<Verdict> {
  const { user, action, first } = question;
  let verdict = await first;
  for (let next = index + 1; !verdict.allowed && next < authorizers.length; next++) {
    verdict = await authorizers[next]!.authorize(user, action);
  }
  return verdict.allowed ? verdict : notAllowed;
}
