import { readFileSync } from 'node:fs';
import { join } from 'node:path';

export interface Pair {
  readonly cert: string;
  readonly key: string;
}

/** The certificates that the server under test has made for itself, as PEM; its floor shows the same. */
export interface Pki {
  readonly ca: string;
  readonly serving: Pair;
  readonly admin: Pair;
}

export function readPki(directory: string): Pki {
  const file = (name: string): string => readFileSync(join(directory, name), 'utf8');
  const pair = (name: string): Pair => ({ cert: file(`${name}.crt`), key: file(`${name}.key`) });
  return { ca: file('ca.crt'), serving: pair('apiserver'), admin: pair('admin') };
}
