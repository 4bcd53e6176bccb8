import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

export type ProgramName = 'web-server' | 'echo-server' | 'connect-from-inside';

/**
 * The file of a program that containers run with our own Node. Compiled files stand beside this one; in the package, where this code is part
 * of a bundle, they have a folder of their own.
 */
export function programFile(name: ProgramName): string {
  const places = [`./${name}.js`, `./programs/${name}.js`, `../programs/${name}.js`];
  const paths = places.map((place) => fileURLToPath(new URL(place, import.meta.url)));
  return paths.find((path) => existsSync(path)) ?? paths[0]!;
}
