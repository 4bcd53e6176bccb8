import { readFile } from 'node:fs/promises';
import { OptionsError, type EtcdChoice } from '../cluster-options.ts';
import type { EtcdStorageOptions } from '../storage/etcd/etcd-storage.ts';

/** Every key begins with this already. */
const usualPrefix = '/registry';

/** Throws `OptionsError` where a choice of etcd makes no sense. */
export function checkEtcdChoice({ servers, certificateFile, keyFile }: EtcdChoice): void {
  if (servers.length === 0) throw new OptionsError('an etcd needs at least one URL');
  for (const server of servers) endpointOf(server);
  if ((certificateFile === undefined) !== (keyFile === undefined)) {
    throw new OptionsError('a certificate to show to etcd and its private key must be given together');
  }
}

/** What a choice of etcd comes to; fails with `OptionsError` where its files cannot be read. */
export async function etcdOptionsFrom(
  choice: EtcdChoice,
): Promise<Pick<EtcdStorageOptions, 'endpoints' | 'tls' | 'prefix'>> {
  const { servers, prefix = usualPrefix } = choice;
  return {
    endpoints: servers.map(endpointOf),
    prefix: prefix === usualPrefix ? '' : prefix,
    tls: {
      authority: await textOf(choice.authorityFile),
      certificate: await textOf(choice.certificateFile),
      key: await textOf(choice.keyFile),
    },
  };
}

function endpointOf(server: string): URL {
  const url = URL.canParse(server) ? new URL(server) : undefined;
  if (url?.protocol === 'http:' || url?.protocol === 'https:') return url;
  throw new OptionsError(`${JSON.stringify(server)} is not a URL of an etcd, such as http://127.0.0.1:2379`);
}

async function textOf(file: string | undefined): Promise<string | undefined> {
  if (file === undefined) return undefined;
  try {
    return await readFile(file, 'utf8');
  } catch (cause) {
    throw new OptionsError(`${file} cannot be read: ${(cause as Error).message}`, { cause });
  }
}
