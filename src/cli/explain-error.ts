import { inspect } from 'node:util';

/** An error and what caused it, on one line, with advice where the cure is a flag. */
export function explainError(error: unknown): string {
  const messages: string[] = [];
  let cause = error;
  while (cause instanceof Error && messages.length < 5) {
    const message = messageOf(cause);
    // Many errors repeat their cause in their own words.
    if (!messages.some((said) => said.includes(message))) messages.push(message);
    cause = cause.cause;
  }
  return messages.join(': ') || inspect(error);
}

function messageOf(error: Error): string {
  const { code, syscall, address, port } = error as NodeJS.ErrnoException & { address?: string; port?: number };
  if (syscall !== 'listen') return error.message;
  const place = `${address}:${port}`;
  const advice = 'choose another with --secure-port, --insecure-port or --bind-address';
  if (code === 'EADDRINUSE') return `${place} is in use; ${advice}`;
  if (code === 'EACCES') return `${place} may not be used by this user; ${advice}`;
  if (code === 'EADDRNOTAVAIL') return `this machine does not have the address of ${place}; ${advice}`;
  return error.message;
}
