import { X509Certificate } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import type { CertificateKeeper } from '../access/certificates/certificate-keeper.ts';
import { NodeConnections } from '../server/connect/node-connections.ts';

/** How nodes are reached; `authorityFile` says who signs their certificates. Refuses a file that cannot be used with a `RangeError`. */
export async function openNodeConnections(
  keeper: CertificateKeeper,
  authorityFile: string | undefined,
): Promise<NodeConnections> {
  return new NodeConnections({
    identity: () => keeper.current.kubeletClient,
    authority: () => keeper.current.authority,
    nodeAuthority: authorityFile === undefined ? undefined : await readAuthority(authorityFile),
  });
}

async function readAuthority(path: string): Promise<string> {
  try {
    const text = await readFile(path, 'utf8');
    if (!new X509Certificate(text).ca) throw new Error('the certificate in it may not sign others');
    return text;
  } catch (cause) {
    const why = (cause as Error).message;
    throw new RangeError(`${path} holds no certificate of an authority that nodes could be checked by: ${why}`, {
      cause,
    });
  }
}
