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
export function impersonate(sender: User, request: IncomingMessage, authorizer: Authorizer): User | Promise<User> {
  const wish = readWish(request);
  return wish ? become(sender, wish, authorizer) : sender;
}

async function become(sender: User, wish: Wish, authorizer: Authorizer): Promise<User> {
  for (const action of actionsOf(wish)) {
    const { allowed } = await authorizer.authorize(sender, action);
    if (!allowed) throw actionRefusal(sender, action);
  }
  const groups = completeGroups(wish);
  const extra = Object.keys(wish.extra).length > 0 ? { extra: wish.extra } : {};
  return { name: wish.user, groups, ...(wish.uid === undefined ? {} : { uid: wish.uid }), ...extra, sentBy: sender };
}

function readWish(request: IncomingMessage): Wish | undefined {
  const headers = readHeaders(request);
  if (!headers) return undefined;
  const [users = [], uids = []] = [headers.get('impersonate-user'), headers.get('impersonate-uid')];
  if (users.length > 1 || uids.length > 1) throw badRequest('a request can be taken for one user only');
  const [user] = users;
  if (!user) throw badRequest('Impersonate headers need an Impersonate-User to go with');
  const extra = new Map<string, string[]>();
  for (const [name, values] of headers) {
    if (!name.startsWith(extraPrefix)) continue;
    const key = decodeKey(name.slice(extraPrefix.length));
    extra.set(key, [...(extra.get(key) ?? []), ...values]);
  }
  return { user, groups: headers.get('impersonate-group') ?? [], uid: uids[0], extra: Object.fromEntries(extra) };
}

/** As they were sent: `headers` joins the values of a repeated one into a single text. */
function readHeaders({ rawHeaders }: IncomingMessage): Map<string, string[]> | undefined {
  let headers: Map<string, string[]> | undefined;
  for (let i = 0; i < rawHeaders.length; i += 2) {
    const sent = rawHeaders[i]!;
    if (sent.length <= prefix.length) continue;
    const name = sent.toLowerCase();
    if (!name.startsWith(prefix)) continue;
    headers ??= new Map<string, string[]>();
    headers.set(name, [...(headers.get(name) ?? []), decodeText(rawHeaders[i + 1]!)]);
  }
  return headers;
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
