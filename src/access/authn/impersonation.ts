import type { IncomingMessage } from 'node:http';
import { authenticationGroup } from '../../kinds/authentication/authentication-group.ts';
import { badRequest } from '../../kinds/meta/api-error.ts';
import type { User } from '../../registry/write.ts';
import type { Authorizer } from '../authz/authorizer.ts';
import { actionRefusal } from '../authz/refusal.ts';
import type { RequestAction } from '../authz/request-action.ts';
import { accountGroups, parseAccountUserName } from './account-name.ts';
import { anonymousGroup, anonymousName } from './anonymous.ts';
import { authenticatedGroup } from './authenticator.ts';

const prefix = 'impersonate-';
const extraPrefix = 'impersonate-extra-';

/** Whom a request is to be taken for. */
interface Wish {
  readonly user: string;
  readonly groups: readonly string[];
  readonly uid?: string;
  readonly extra: Readonly<Record<string, readonly string[]>>;
}

/**
 * The user whom the request asks to be taken for, where the sender may do so; the sender where it asks for nothing. Each name, group and other
 * detail takes a right of its own: the verb `impersonate`.
 */
export async function impersonate(sender: User, request: IncomingMessage, authorizer: Authorizer): Promise<User> {
  const wish = readWish(request);
  if (!wish) return sender;
  for (const action of actionsOf(wish)) {
    const { allowed } = await authorizer.authorize(sender, action);
    if (!allowed) throw actionRefusal(sender, action);
  }
  const groups = completeGroups(wish);
  const extra = Object.keys(wish.extra).length > 0 ? { extra: wish.extra } : {};
  return { name: wish.user, groups, ...(wish.uid === undefined ? {} : { uid: wish.uid }), ...extra };
}

function readWish(request: IncomingMessage): Wish | undefined {
  const names = Object.keys(request.headers).filter((name) => name.startsWith(prefix));
  if (names.length === 0) return undefined;
  // Values of a repeated header are told apart here, which `headers` joins into one.
  const valuesOf = (name: string): string[] => (request.headersDistinct[name] ?? []).map(decodeText);
  const users = valuesOf('impersonate-user');
  const uids = valuesOf('impersonate-uid');
  if (users.length > 1 || uids.length > 1) throw badRequest('a request can be taken for one user only');
  const [user] = users;
  if (!user) throw badRequest('Impersonate headers need an Impersonate-User to go with');
  const extra = new Map<string, string[]>();
  for (const name of names.filter((each) => each.startsWith(extraPrefix))) {
    const key = decodeKey(name.slice(extraPrefix.length));
    extra.set(key, [...(extra.get(key) ?? []), ...valuesOf(name)]);
  }
  return { user, groups: valuesOf('impersonate-group'), uid: uids[0], extra: Object.fromEntries(extra) };
}

/** Node reads headers as Latin-1; clients send UTF-8. */
function decodeText(value: string): string {
  return Buffer.from(value, 'latin1').toString('utf8');
}

function decodeKey(key: string): string {
  try {
    return decodeURIComponent(key);
  } catch (cause) {
    throw badRequest(`the header Impersonate-Extra-${key} is not percent-encoded UTF-8`, { cause });
  }
}

function actionsOf({ user, groups, uid, extra }: Wish): RequestAction[] {
  const account = parseAccountUserName(user);
  const base = { verb: 'impersonate', path: '' };
  const actions: RequestAction[] = [
    account
      ? { ...base, group: '', resource: 'serviceaccounts', ...account }
      : { ...base, group: '', resource: 'users', name: user },
    ...groups.map((name) => ({ ...base, group: '', resource: 'groups', name })),
  ];
  if (uid !== undefined) actions.push({ ...base, group: authenticationGroup, resource: 'uids', name: uid });
  for (const [subresource, values] of Object.entries(extra)) {
    const extras = { ...base, group: authenticationGroup, resource: 'userextras', subresource };
    actions.push(...values.map((name) => ({ ...extras, name })));
  }
  return actions;
}

/** Accounts have their groups unless others are asked for, and everybody is known or not. */
function completeGroups({ user, groups }: Wish): string[] {
  const account = parseAccountUserName(user);
  const own = groups.length === 0 && account ? accountGroups(account.namespace) : groups;
  const standing = user === anonymousName ? anonymousGroup : authenticatedGroup;
  const isStanding = own.includes(authenticatedGroup) || own.includes(anonymousGroup);
  return isStanding ? [...own] : [...own, standing];
}
