import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import type { User } from '../../registry/write.ts';
import { authenticatedGroup, type TokenAuthenticator } from './authenticator.ts';

/** Users who show a bearer token that stands in the file; the file is read once, at the start. */
export async function readTokenFile(path: string): Promise<TokenAuthenticator> {
  let content: string;
  try {
    content = await readFile(path, 'utf8');
  } catch (cause) {
    throw new Error(`the token file ${path} cannot be read`, { cause });
  }
  return tokenAuthenticator(parseTokens(content, path));
}

export function tokenAuthenticator(users: ReadonlyMap<string, User>): TokenAuthenticator {
  // Looked up by digest, so that the time it takes tells nothing about how much of a guess was right.
  const byDigest = new Map([...users].map(([token, user]) => [digest(token), user]));
  return {
    identify(token) {
      const user = byDigest.get(digest(token));
      return user && { user };
    },
  };
}

function digest(token: string): string {
  return createHash('sha256').update(token).digest('base64');
}

/** Lines of `token,user,uid` and, in a fourth column, groups with commas between them. Every mistake names its line, never the token. */
export function parseTokens(content: string, path: string): Map<string, User> {
  const users = new Map<string, User>();
  for (const [index, line] of content
    .replace(/^\uFEFF/, '')
    .split(/\r?\n/)
    .entries()) {
    if (line.trim() === '') continue;
    const wrong = (why: string): Error => new Error(`${path}, line ${index + 1}: ${why}`);
    const columns = splitColumns(line);
    if (!columns) throw wrong('a quotation mark is not closed or stands within a column');
    const [token, name, uid, groups = ''] = columns;
    if (uid === undefined) throw wrong('at least three columns are wanted: token,user,uid');
    if (!token || !name) throw wrong('token and user may not be empty');
    if (/\s/.test(token)) throw wrong('a token may not contain blanks');
    if (users.has(token)) throw wrong('the same token stands on a line before');
    const named = groups.split(',').map((group) => group.trim());
    const known = { name, groups: [...named.filter((group) => group !== ''), authenticatedGroup] };
    users.set(token, uid ? { ...known, uid } : known);
  }
  return users;
}

/** The columns of one line; those in quotation marks may hold commas, and a doubled mark stands for one. */
function splitColumns(line: string): string[] | undefined {
  const columns: string[] = [];
  const column = /\s*(?:"((?:[^"]|"")*)"\s*|([^",]*))(,|$)/y;
  for (;;) {
    const match = column.exec(line);
    if (!match) return undefined;
    columns.push(match[1]?.replaceAll('""', '"') ?? match[2]?.trim() ?? '');
    if (match[3] === '') return columns;
  }
}
