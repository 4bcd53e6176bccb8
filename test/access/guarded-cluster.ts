import { createPrivateKey } from 'node:crypto';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { request as httpsRequest } from 'node:https';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { readAccountKeys, type AccountKeys } from '../../src/access/authn/accounts/account-keys.ts';
import type { CertificateIssuer, CertificateRequest } from '../../src/access/certificates/issue-certificate.ts';
import { createKeyPair, type KeyPair } from '../../src/access/certificates/key-pair.ts';
import type { Logger } from '../../src/base/logger.ts';
import type { Cluster } from '../../src/cluster-options.ts';
import { startCluster } from '../../src/cluster.ts';
import { send, type AnswerBody, type ReceivedAnswer, type SentRequest } from '../../src/server/testing/http-client.ts';

/** What a request proves itself with. */
export interface Credentials {
  readonly pair?: KeyPair;
  readonly token?: string;
}

/** A cluster in a directory, and whatever it takes to be anybody there. */
export interface GuardedCluster {
  readonly cluster: Cluster;
  /** The keys that tokens of accounts are signed with. */
  readonly accountKeys: AccountKeys;
  /** The pair that the server itself shows. */
  readonly servingPair: KeyPair;
  /** All that was logged so far. */
  readonly logged: () => string;
  /** A certificate of the cluster's authority, good for an hour unless it says otherwise. */
  readonly issue: (name: string, organizations: readonly string[], life?: Partial<Life>) => Promise<KeyPair>;
  /** Over TLS, as somebody. */
  readonly ask: (who: Credentials, method: string, path: string, sent?: SentRequest) => Promise<ReceivedAnswer>;
  /** Over the plain port; the answer must be a success. */
  readonly make: (method: string, path: string, body?: object) => Promise<AnswerBody>;
  readonly close: () => Promise<void>;
}

type Life = Pick<CertificateRequest, 'notBefore' | 'notAfter'>;

const hour = 60 * 60 * 1000;

export async function openGuardedCluster(tokens: string): Promise<GuardedCluster> {
  const directory = await mkdtemp(join(tmpdir(), 'wherry-access-'));
  const tokenAuthFile = join(directory, 'tokens.csv');
  await writeFile(tokenAuthFile, tokens);
  const lines: string[] = [];
  const storage = { make: 'lmdb', directory: join(directory, 'data') } as const;
  const options = { storage, tokenAuthFile, insecurePort: 0, logger: listingLogger(lines) };
  const cluster = await startCluster(options).catch(async (error: unknown) => {
    await rm(directory, { recursive: true, force: true });
    throw error;
  });
  const read = (name: string): Promise<string> => readFile(join(storage.directory, 'pki', name), 'utf8');
  const issuer = { subject: { commonName: 'wherry-ca' }, privateKey: createPrivateKey(await read('ca.key')) };
  return {
    cluster,
    accountKeys: await readAccountKeys(join(storage.directory, 'pki', 'service-accounts.key')),
    servingPair: { certificate: await read('apiserver.crt'), key: await read('apiserver.key') },
    logged: () => lines.join('\n'),
    issue: (name, organizations, life) => issueClient(name, organizations, { issuer, ...life }),
    ask: (who, method, path, sent) => askSecurely(cluster, who, { method, path, ...sent }),
    async make(method, path, body) {
      const answer = await send(cluster.insecureUrl!, method, path, { body });
      if (answer.code >= 300) throw new Error(`${method} ${path}: ${answer.text}`);
      return answer.json();
    },
    async close() {
      await cluster.close();
      await rm(directory, { recursive: true, force: true });
    },
  };
}

export function issueClient(
  commonName: string,
  organizations: readonly string[],
  { issuer, ...life }: Partial<Life> & { readonly issuer?: CertificateIssuer },
): Promise<KeyPair> {
  const now = Date.now();
  const subject = { commonName, organizations };
  return createKeyPair({ subject, use: 'client', notBefore: now - hour, notAfter: now + hour, ...life }, issuer);
}

function listingLogger(lines: string[]): Logger {
  const write = (message: string, fields: object = {}): void => {
    const shown = (_key: string, value: unknown): unknown => (value instanceof Error ? String(value.stack) : value);
    lines.push(`${message} ${JSON.stringify(fields, shown)}`);
  };
  return { error: write, warn: write, info: write, debug: write };
}

interface SecureRequest extends SentRequest {
  readonly method: string;
  readonly path: string;
}

function askSecurely(cluster: Cluster, who: Credentials, asked: SecureRequest): Promise<ReceivedAnswer> {
  const { hostname, port } = new URL(cluster.secureUrl);
  const { method, path, body } = asked;
  const payload = body === undefined || typeof body === 'string' ? body : JSON.stringify(body);
  const authorization = who.token === undefined ? {} : { Authorization: `Bearer ${who.token}` };
  const headers = { ...authorization, ...asked.headers };
  const tls = { ca: cluster.admin.authority, cert: who.pair?.certificate, key: who.pair?.key, agent: false } as const;
  return new Promise((resolve, reject) => {
    const request = httpsRequest({ hostname, port, method, path, headers, ...tls }, (response) => {
      let text = '';
      response.setEncoding('utf8');
      response.on('error', reject);
      response.on('data', (chunk: string) => (text += chunk));
      response.on('end', () => {
        const json = (): AnswerBody => JSON.parse(text) as AnswerBody;
        resolve({ code: response.statusCode ?? 0, headers: response.headers, text, json });
      });
    });
    request.on('error', reject);
    request.end(payload);
  });
}
