import type { TlsOptions } from 'node:tls';

/** Key and certificates as PEM. */
export interface ListenerTls {
  readonly key: string | Buffer;
  readonly cert: string | Buffer;
  /** Who signs the certificates that clients show. */
  readonly ca?: string | Buffer | readonly (string | Buffer)[];
  /** Ask clients for a certificate. A client without one, or with one that nobody vouches for, still connects: who it is gets decided per request. */
  readonly requestClientCert?: boolean;
}

// AES-128-GCM first: the cheapest cipher on machines with AES instructions, and as good as the others for this purpose.
const ciphers = [
  'TLS_AES_128_GCM_SHA256',
  'TLS_CHACHA20_POLY1305_SHA256',
  'TLS_AES_256_GCM_SHA384',
  'ECDHE-ECDSA-AES128-GCM-SHA256',
  'ECDHE-RSA-AES128-GCM-SHA256',
  'ECDHE-ECDSA-CHACHA20-POLY1305',
  'ECDHE-RSA-CHACHA20-POLY1305',
  'ECDHE-ECDSA-AES256-GCM-SHA384',
  'ECDHE-RSA-AES256-GCM-SHA384',
].join(':');

export function tlsOptions(tls: ListenerTls): TlsOptions {
  return {
    key: tls.key,
    cert: tls.cert,
    ca: tls.ca as TlsOptions['ca'],
    requestCert: tls.requestClientCert ?? false,
    rejectUnauthorized: false,
    minVersion: 'TLSv1.2',
    ciphers,
    honorCipherOrder: true,
    ecdhCurve: 'X25519:P-256:P-384',
    ALPNProtocols: ['http/1.1'],
    handshakeTimeout: 10_000,
    // Clients that come back skip the expensive part of the handshake; tickets need no state here.
    sessionTimeout: 3600,
    sessionIdContext: 'wherry',
  };
}
