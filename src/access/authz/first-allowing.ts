import { notAllowed, type Authorizer, type RightsList } from './authorizer.ts';

/** Allowed is what one of them allows. */
export function firstAllowing(authorizers: readonly Authorizer[]): Authorizer {
  return {
    async authorize(user, action) {
      for (const authorizer of authorizers) {
        const verdict = await authorizer.authorize(user, action);
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
