import type { Storage } from '../../storage/storage.ts';
import { readPolicyFile } from './abac/abac-authorizer.ts';
import { alwaysAllow } from './always-allow.ts';
import { alwaysDeny } from './always-deny.ts';
import type { Authorizer } from './authorizer.ts';
import { firstAllowing } from './first-allowing.ts';
import { mastersAuthorizer } from './masters.ts';
import { authorizationModes, type AuthorizationMode } from './mode-names.ts';
import { nodeAuthorizer } from './node/node-authorizer.ts';
import { rbacAuthorizer, type FollowedRoles } from './rbac/rbac-authorizer.ts';

/** What authorizers are made from. */
export interface AuthorizerParts {
  readonly storage: Storage;
  readonly roles: FollowedRoles;
  /** For ABAC. */
  readonly policyFile?: string;
}

/** Allows what one of the modes allows, in their order; throws a `RangeError` for a choice that makes no sense. */
export async function openAuthorizer(modes: readonly string[], parts: AuthorizerParts): Promise<Authorizer> {
  const names = checkModes(modes, parts.policyFile);
  const authorizers = [mastersAuthorizer()];
  for (const name of names) authorizers.push(await factories[name](parts));
  return firstAllowing(authorizers);
}

/** The modes by their names; throws a `RangeError` for a choice that makes no sense. */
export function checkModes(modes: readonly string[], policyFile: string | undefined): readonly AuthorizationMode[] {
  if (modes.length === 0) throw new RangeError('at least one authorization mode is needed');
  const names = modes.map((mode) => {
    const known = authorizationModes.find((name) => name === mode);
    if (known) return known;
    throw new RangeError(`there is no authorization mode "${mode}"; known are ${authorizationModes.join(', ')}`);
  });
  if (new Set(names).size < names.length) throw new RangeError('an authorization mode is named twice');
  if (names.includes('ABAC') !== (policyFile !== undefined)) {
    throw new RangeError('the authorization mode ABAC and a policy file are given together or not at all');
  }
  return names;
}

const factories: Readonly<Record<AuthorizationMode, (parts: AuthorizerParts) => Authorizer | Promise<Authorizer>>> = {
  AlwaysAllow: alwaysAllow,
  AlwaysDeny: alwaysDeny,
  ABAC: ({ policyFile = '' }) => readPolicyFile(policyFile),
  Node: ({ storage }) => nodeAuthorizer(storage),
  RBAC: ({ roles }) => rbacAuthorizer(roles),
};
