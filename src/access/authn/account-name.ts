const prefix = 'system:serviceaccount:';
const accountsGroup = 'system:serviceaccounts';

/** What a service account is called as a user. */
export function accountUserName(namespace: string, name: string): string {
  return `${prefix}${namespace}:${name}`;
}

/** All accounts, and those of the namespace. */
export function accountGroups(namespace: string): string[] {
  return [accountsGroup, `${accountsGroup}:${namespace}`];
}

/** The account that a user name stands for; undefined for any other name. */
export function parseAccountUserName(user: string): { readonly namespace: string; readonly name: string } | undefined {
  if (!user.startsWith(prefix)) return undefined;
  const [namespace = '', name = '', ...rest] = user.slice(prefix.length).split(':');
  return namespace && name && rest.length === 0 ? { namespace, name } : undefined;
}
