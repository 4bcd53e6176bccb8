import { notAllowed, type Authorizer } from './authorizer.ts';

/** Nobody may do anything, but for those whom nothing is refused. */
export function alwaysDeny(): Authorizer {
  return { authorize: () => notAllowed, rightsOf: () => ({ rules: [] }) };
}
