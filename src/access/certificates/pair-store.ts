import { chmod, mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { readFileIfThere, replacePrivateFile } from '../../base/private-file.ts';
import type { KeyPair } from './key-pair.ts';

/** Where key pairs outlive the one who made them. */
export interface PairStore {
  /** Where people can look for it, for messages. */
  readonly place: string;
  /** The pair as far as it is there: either part may be missing. */
  read(name: string): Promise<Partial<KeyPair>>;
  write(name: string, pair: KeyPair): Promise<void>;
}

export function memoryPairStore(): PairStore {
  const pairs = new Map<string, KeyPair>();
  return {
    place: 'memory',
    read: async (name) => pairs.get(name) ?? {},
    write: async (name, pair) => void pairs.set(name, pair),
  };
}

/** Files `<name>.crt` and `<name>.key` in a directory that only its owner may enter. */
export function directoryPairStore(directory: string): PairStore {
  return {
    place: directory,
    async read(name) {
      const [certificate, key] = await Promise.all([
        readFileIfThere(join(directory, `${name}.crt`)),
        readFileIfThere(join(directory, `${name}.key`)),
      ]);
      return { certificate, key };
    },
    async write(name, pair) {
      await mkdir(directory, { recursive: true, mode: 0o700 });
      await chmod(directory, 0o700);
      // The certificate goes last: a key alone, left by a crash, is taken for nothing at all and made anew.
      await replacePrivateFile(join(directory, `${name}.key`), pair.key);
      await replacePrivateFile(join(directory, `${name}.crt`), pair.certificate);
    },
  };
}
