import { readFile, stat } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import type { HttpAccess } from './http-access.ts';

/** A kubeconfig file cannot be used; the message says which one and why. */
export class KubeconfigError extends Error {
  override readonly name = 'KubeconfigError';
}

type Fields = Readonly<Record<string, unknown>>;

const largestFileBytes = 1024 * 1024;

/** The way in that a kubeconfig file describes: that of its current context, or of the one named. Files that it names are read, too. */
export async function readKubeconfig(file: string, contextName?: string): Promise<HttpAccess> {
  const config = await parseFile(file);
  const fail = (why: string): never => {
    throw new KubeconfigError(`${file} cannot be used as a kubeconfig: ${why}`);
  };
  const chosen = contextName ?? text(config, 'current-context');
  if (!chosen) return fail('it has no current-context');
  const context = entry(config, 'contexts', 'context', chosen) ?? fail(`there is no context "${chosen}"`);
  const clusterName = text(context, 'cluster') ?? fail(`context "${chosen}" names no cluster`);
  const cluster = entry(config, 'clusters', 'cluster', clusterName) ?? fail(`there is no cluster "${clusterName}"`);
  const userName = text(context, 'user');
  const user = userName === undefined ? {} : entry(config, 'users', 'user', userName);
  if (!user) return fail(`there is no user "${userName}"`);
  for (const unsupported of ['exec', 'auth-provider']) {
    if (user[unsupported]) return fail(`user "${userName}" signs in by ${unsupported}, which is not supported`);
  }
  const server = text(cluster, 'server') ?? fail(`cluster "${clusterName}" has no server`);
  const read = (fields: Fields, name: string): Promise<string | undefined> => pem(fields, name, file);
  return {
    server,
    authority: await read(cluster, 'certificate-authority'),
    insecureSkipTlsVerify: cluster['insecure-skip-tls-verify'] === true,
    tlsServerName: text(cluster, 'tls-server-name'),
    certificate: await read(user, 'client-certificate'),
    key: await read(user, 'client-key'),
    token: text(user, 'token') ?? (await content(user, 'tokenFile', file))?.trim(),
    username: text(user, 'username'),
    password: text(user, 'password'),
  };
}

async function parseFile(file: string): Promise<Fields> {
  const { parse, YAMLParseError } = await import('yaml');
  const source = await readText(file);
  let config: unknown;
  try {
    config = parse(source, { prettyErrors: false });
  } catch (error) {
    // What the parser says may quote the file, which holds keys and tokens, so no more than the place is told.
    const line = error instanceof YAMLParseError ? source.slice(0, error.pos[0]).split('\n').length : undefined;
    const where = line === undefined ? '' : `, because of line ${line}`;
    throw new KubeconfigError(`${file} is no kubeconfig file: it cannot be read as YAML${where}`);
  }
  if (isFields(config)) return config;
  throw new KubeconfigError(`${file} is no kubeconfig file: it does not hold an object`);
}

async function readText(file: string): Promise<string> {
  try {
    const { size } = await stat(file);
    if (size > largestFileBytes) throw new Error(`it has ${size} bytes`);
    return await readFile(file, 'utf8');
  } catch (cause) {
    const why = cause instanceof Error ? cause.message : String(cause);
    throw new KubeconfigError(`${file} cannot be read: ${why}`, { cause });
  }
}

/** What a list of named things holds under a name. */
function entry(config: Fields, list: string, part: string, name: string): Fields | undefined {
  const entries = config[list];
  if (!Array.isArray(entries)) return undefined;
  const found = (entries as unknown[]).filter(isFields).find((each) => each['name'] === name);
  if (!found) return undefined;
  const value = found[part] ?? {};
  return isFields(value) ? value : undefined;
}

/** Given in the file itself as base64 (`name-data`), or in a file of its own (`name`). */
async function pem(fields: Fields, name: string, file: string): Promise<string | undefined> {
  const data = text(fields, `${name}-data`);
  if (data !== undefined) return Buffer.from(data, 'base64').toString('utf8');
  return content(fields, name, file);
}

/** Files are named relative to the one that names them. */
async function content(fields: Fields, name: string, file: string): Promise<string | undefined> {
  const path = text(fields, name);
  return path === undefined ? undefined : readText(resolve(dirname(file), path));
}

function text(fields: Fields, name: string): string | undefined {
  const value = fields[name];
  return typeof value === 'string' && value !== '' ? value : undefined;
}

function isFields(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
