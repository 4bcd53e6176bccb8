import { inspect } from 'node:util';

/** An error and what caused it, on one line, with advice where the cure is one of the command's flags. */
export function explainError(error: unknown, flags: readonly string[] = []): string {
  const messages: string[] = [];
  let cause = error;
  while (cause instanceof Error && messages.length < 5) {
    const message = messageOf(cause, flags);
    // Many errors repeat their cause in their own words.
    if (!messages.some((said) => said.includes(message))) messages.push(message);
    cause = cause.cause;
  }
  return messages.join(': ') || inspect(error);
}

const listenFlags = ['secure-port', 'insecure-port', 'port', 'bind-address', 'address'];

function messageOf(error: Error, flags: readonly string[]): string {
  const { code, syscall, address, port } = error as NodeJS.ErrnoException & { address?: string; port?: number };
  if (syscall !== 'listen') return error.message;
  const place = `${address}:${port}`;
  const advice = `choose another${cureOf(flags)}`;
  if (code === 'EADDRINUSE') return `${place} is in use; ${advice}`;
  if (code === 'EACCES') return `${place} may not be used by this user; ${advice}`;
  if (code === 'EADDRNOTAVAIL') return `this machine does not have the address of ${place}; ${advice}`;
  return error.message;
}

function cureOf(flags: readonly string[]): string {
  const cures = listenFlags.filter((flag) => flags.includes(flag)).map((flag) => `--${flag}`);
  const last = cures.pop();
  if (last === undefined) return '';
  return cures.length === 0 ? ` with ${last}` : ` with ${cures.join(', ')} or ${last}`;
}
