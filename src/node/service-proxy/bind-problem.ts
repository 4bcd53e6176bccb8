import type { Portal } from './portal.ts';

/** Why a node cannot take traffic somewhere, in words for the people who look at the service. */
export class BindProblem extends Error {
  /** What is missing: an address that the machine does not have, or a port that cannot be had on it. */
  readonly what: 'address' | 'port';

  constructor(what: 'address' | 'port', message: string, options?: ErrorOptions) {
    super(message, options);
    this.what = what;
  }
}

/** The problem that an error of the system stands for. */
export function bindProblem(cause: unknown, { address, port, protocol }: Portal): BindProblem {
  const { code } = cause as NodeJS.ErrnoException;
  switch (code) {
    case 'EADDRNOTAVAIL':
      return new BindProblem('address', `${address} is not an address of this machine`, { cause });
    case 'EADDRINUSE':
      return new BindProblem('port', `another program of this machine has ${protocol} port ${port}`, { cause });
    case 'EACCES':
      return new BindProblem(
        'port',
        `this user may not open port ${port}: low ports need root, or a lower net.ipv4.ip_unprivileged_port_start`,
        { cause },
      );
    default:
      return new BindProblem('port', cause instanceof Error ? cause.message : String(cause), { cause });
  }
}
