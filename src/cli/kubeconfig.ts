import { mkdir, realpath } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import type { Document } from 'yaml';
import { readFileIfThere, replacePrivateFile } from '../base/private-file.ts';
import type { AdminAccess } from '../cluster-options.ts';

/** The name of our cluster, user and context in every kubeconfig file. */
const entryName = 'wherry';

/** Puts the way in to a cluster into a kubeconfig file and makes it the current context. Other entries, comments included, stay. */
export async function writeKubeconfig(file: string, access: AdminAccess): Promise<void> {
  const path = await followLinks(resolve(file));
  const [existing, fresh] = [await readFileIfThere(path), freshKubeconfig(access)];
  // The usual cases are the first start and the same start again: neither needs the YAML library, which takes its time to load.
  const content = existing === undefined || existing === fresh ? fresh : await mergeKubeconfig(existing, access, file);
  await mkdir(dirname(path), { recursive: true, mode: 0o700 });
  await replacePrivateFile(path, content);
}

/** A kubeconfig file with nothing but our entries. */
export function freshKubeconfig({ server, authority, certificate, key }: AdminAccess): string {
  return `apiVersion: v1
kind: Config
clusters:
  - name: ${entryName}
    cluster:
      server: ${server}
      certificate-authority-data: ${base64(authority)}
users:
  - name: ${entryName}
    user:
      client-certificate-data: ${base64(certificate)}
      client-key-data: ${base64(key)}
contexts:
  - name: ${entryName}
    context:
      cluster: ${entryName}
      user: ${entryName}
current-context: ${entryName}
`;
}

/** The content of a kubeconfig file with our entries in it; `file` is named where the content it has cannot be used. */
export async function mergeKubeconfig(existing: string, access: AdminAccess, file = 'kubeconfig'): Promise<string> {
  const { parseDocument } = await import('yaml');
  const document: Document = parseDocument(existing);
  const flaw = document.errors[0]?.message ?? findFlaw(document.toJS());
  if (flaw !== undefined) throw new Error(`${file} is left alone, because it is not a kubeconfig file: ${flaw}`);
  if (document.contents === null) document.contents = document.createNode({ apiVersion: 'v1', kind: 'Config' });
  setEntry(document, 'clusters', {
    cluster: { server: access.server, 'certificate-authority-data': base64(access.authority) },
  });
  setEntry(document, 'users', {
    user: { 'client-certificate-data': base64(access.certificate), 'client-key-data': base64(access.key) },
  });
  setContext(document);
  document.set('current-context', entryName);
  return document.toString({ lineWidth: 0 });
}

function base64(pem: string): string {
  return Buffer.from(pem, 'utf8').toString('base64');
}

const listNames = ['clusters', 'users', 'contexts'] as const;
type ListName = (typeof listNames)[number];

interface NamedEntry {
  readonly name: string;
}

interface ContextEntry extends NamedEntry {
  readonly context?: object;
}

function findFlaw(content: unknown): string | undefined {
  if (content === null || content === undefined) return undefined;
  if (typeof content !== 'object' || Array.isArray(content)) return 'it does not hold an object';
  const config = content as Record<string, unknown>;
  if (config.kind !== undefined && config.kind !== 'Config') return `its kind is ${JSON.stringify(config.kind)}`;
  const wrong = listNames.find(
    (name) => config[name] !== undefined && config[name] !== null && !Array.isArray(config[name]),
  );
  return wrong === undefined ? undefined : `${wrong} is not a list`;
}

function setEntry(document: Document, list: ListName, content: object): void {
  const entry = { name: entryName, ...content };
  const entries = ((document.toJS() as Record<string, unknown>)[list] ?? []) as (NamedEntry | null)[];
  const index = entries.findIndex((candidate) => candidate?.name === entryName);
  if (entries.length === 0) document.set(list, document.createNode([entry]));
  else if (index < 0) document.addIn([list], document.createNode(entry));
  else document.setIn([list, index], document.createNode(entry));
}

/** A context that is there keeps what a user has set in it, such as a namespace. */
function setContext(document: Document): void {
  const contexts = ((document.toJS() as Record<string, unknown>).contexts ?? []) as (ContextEntry | null)[];
  const existing = contexts.find((candidate) => candidate?.name === entryName)?.context;
  setEntry(document, 'contexts', { context: { ...existing, cluster: entryName, user: entryName } });
}

/** Where a link leads, so that the link itself stays when the file is replaced. */
async function followLinks(path: string): Promise<string> {
  try {
    return await realpath(path);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return path;
    throw error;
  }
}
