import type { Socket } from 'node:net';
import { TLSSocket } from 'node:tls';
import type { User } from '../../registry/write.ts';
import { authenticatedGroup, type Authenticator } from './authenticator.ts';

/** Users who show a certificate that the server's authority signed: its common name is the user, its organizations are the groups. */
export function clientCertificateAuthenticator(): Authenticator {
  // A connection has one certificate for all of its requests.
  const users = new WeakMap<Socket, User>();
  return {
    authenticate({ socket }) {
      const known = users.get(socket);
      if (known) return known;
      const user = userOf(socket);
      if (user) users.set(socket, user);
      return user;
    },
  };
}

function userOf(socket: Socket): User | undefined {
  if (!(socket instanceof TLSSocket) || !socket.authorized) return undefined;
  // The declared type says text, but a name that occurs several times is a list.
  const subject = socket.getPeerCertificate().subject as { CN?: string | string[]; O?: string | string[] } | undefined;
  const [name] = listOf(subject?.CN);
  return name === undefined ? undefined : { name, groups: [...listOf(subject?.O), authenticatedGroup] };
}

function listOf(value: string | string[] | undefined): readonly string[] {
  if (value === undefined) return [];
  return typeof value === 'string' ? [value] : value;
}
