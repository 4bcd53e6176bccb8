/** Names for `--authorization-mode`. */
export const authorizationModes = ['AlwaysAllow', 'AlwaysDeny', 'ABAC', 'Node', 'RBAC'] as const;
export type AuthorizationMode = (typeof authorizationModes)[number];

export const defaultAuthorization: readonly AuthorizationMode[] = ['Node', 'RBAC'];
