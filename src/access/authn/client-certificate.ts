import type { Socket } from 'node:net';
import { TLSSocket, type PeerCertificate } from 'node:tls';
import type { Clock } from '../../base/clock.ts';
import { authenticatedGroup, type Authenticator, type Finding } from './authenticator.ts';

interface SeenCertificate {
  readonly finding: Finding;
  readonly notAfter: number;
}

/** Users who show a certificate that the server's authority signed: its common name is the user, its organizations are the groups. */
export function clientCertificateAuthenticator(clock: Clock): Authenticator {
  // A connection has one certificate for all of its requests.
  const seen = new WeakMap<Socket, SeenCertificate>();
  return {
    authenticate({ socket }) {
      let known = seen.get(socket);
      if (!known) seen.set(socket, (known = look(socket)));
      // A connection, and a session that is resumed, can outlast the certificate that it began with.
      return clock.now() > known.notAfter ? 'refused' : known.finding;
    },
  };
}

function look(socket: Socket): SeenCertificate {
  if (!(socket instanceof TLSSocket)) return { finding: 'absent', notAfter: Infinity };
  const certificate = socket.getPeerCertificate();
  if (!certificate?.raw) return { finding: 'absent', notAfter: Infinity };
  if (!socket.authorized) return { finding: 'refused', notAfter: Infinity };
  return { finding: userOf(certificate), notAfter: Date.parse(certificate.valid_to) };
}

function userOf({ subject }: PeerCertificate): Finding {
  // The declared type says text, but a name that occurs several times is a list.
  const { CN, O } = (subject ?? {}) as { CN?: string | string[]; O?: string | string[] };
  const names = listOf(CN);
  if (names.length !== 1 || !names[0]) return 'refused';
  return { name: names[0], groups: [...listOf(O), authenticatedGroup] };
}

function listOf(value: string | string[] | undefined): readonly string[] {
  if (value === undefined) return [];
  return typeof value === 'string' ? [value] : value;
}
