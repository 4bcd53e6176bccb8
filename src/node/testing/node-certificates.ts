import { createKeyPair, openKeyPair, type KeyPair } from '../../access/certificates/key-pair.ts';
import type { NodeServerTls } from '../server/node-server.ts';

/** Certificates of a node, of those who may connect to it, and of those who may not. */
export interface NodeCertificates {
  readonly tls: NodeServerTls;
  readonly apiServer: KeyPair;
  /** Signed by the same authority, for somebody else. */
  readonly stranger: KeyPair;
  /** Signed by nobody, with the name of the API server. */
  readonly impostor: KeyPair;
}

export async function makeNodeCertificates(): Promise<NodeCertificates> {
  const life = { notBefore: Date.now() - 60_000, notAfter: Date.now() + 3_600_000 };
  const subject = { commonName: 'test-authority' };
  const authority = await createKeyPair({ subject, use: 'authority', ...life });
  const issuer = { subject, privateKey: openKeyPair(authority).key };
  const client = { commonName: 'test-apiserver' };
  const [node, apiServer, stranger, impostor] = await Promise.all([
    createKeyPair({ subject: { commonName: 'test-node' }, use: 'server', names: ['127.0.0.1'], ...life }, issuer),
    createKeyPair({ subject: client, use: 'client', ...life }, issuer),
    createKeyPair({ subject: { commonName: 'jane' }, use: 'client', ...life }, issuer),
    createKeyPair({ subject: client, use: 'client', ...life }),
  ]);
  const tls = {
    key: node.key,
    cert: node.certificate,
    ca: authority.certificate,
    clientNames: [client.commonName],
  };
  return { tls, apiServer, stranger, impostor };
}
