import { resolve } from 'node:path';
import { RuntimeError } from '../../../runtime.ts';
import { lookupNames } from './image-name.ts';
import type { Image } from './image.ts';

/** Images by the names that users list them under. */
export type ImageMap = ReadonlyMap<string, Image>;

/** The image that a name stands for; the user's own go before those that are built in. */
export function findImage(name: string, maps: readonly ImageMap[]): Image | undefined {
  for (const map of maps) {
    for (const candidate of lookupNames(name)) {
      const image = map.get(candidate);
      if (image) return image;
    }
  }
  return undefined;
}

/** Why an image cannot be run, and what its user can do about it. */
export function unknownImage(name: string, mapFile: string | undefined): RuntimeError {
  const shortName = lookupNames(name).at(-1) ?? name;
  const example = `{"${shortName}": {"command": ["/path/to/program"]}}`;
  const where =
    mapFile === undefined ? `a file that --image-map names, such as ${example}` : `${mapFile}, such as ${example}`;
  return new RuntimeError(
    'ErrImagePull',
    `image ${JSON.stringify(name)} is not known: this node runs programs of the machine. Say what it stands for in ${where}, or give the container a command.`,
  );
}

/**
 * Reads what an image map file holds: names, each with a command line, a directory, or an object with `command`, `args`, `directory` and
 * `environment`. Fails with a message that names the entry.
 */
export function parseImageMap(value: unknown): ImageMap {
  if (value === null || value === undefined) return new Map();
  if (!isObject(value)) throw new Error('an image map has to be an object with an entry for each image');
  return new Map(Object.entries(value).map(([name, entry]) => [name, parseImage(name, entry)]));
}

function parseImage(name: string, entry: unknown): Image {
  const base: Image = { command: [], args: [], environment: {}, programs: {} };
  if (typeof entry === 'string' && entry.startsWith('/')) return { ...base, directory: entry };
  if (isStrings(entry) && entry.length > 0) return { ...base, command: entry };
  if (!isObject(entry)) throw wrong(name, 'has to be a list of words, the absolute path of a directory, or an object');
  const unknown = Object.keys(entry).find((key) => !['command', 'args', 'directory', 'environment'].includes(key));
  if (unknown !== undefined) throw wrong(name, `has no field ${JSON.stringify(unknown)}; fields are command, args, directory and environment`); // prettier-ignore
  const { command = [], args = [], directory, environment = {} } = entry;
  if (!isStrings(command)) throw wrong(name, 'needs a list of words as its command');
  if (!isStrings(args)) throw wrong(name, 'needs a list of words as its args');
  if (directory !== undefined && (typeof directory !== 'string' || !directory.startsWith('/')))
    throw wrong(name, 'needs an absolute path as its directory');
  if (!isObject(environment) || !isStrings(Object.values(environment)))
    throw wrong(name, 'needs an object of strings as its environment');
  if (command.length === 0 && args.length === 0 && directory === undefined)
    throw wrong(name, 'says neither what runs nor where: it needs a command, args or a directory');
  const words = { command: inDirectory(command, directory), args };
  return { ...base, ...words, environment: environment as Record<string, string>, ...(directory && { directory }) };
}

/** A program with a relative path is one of the image's directory, wherever the container starts. */
function inDirectory(command: readonly string[], directory: string | undefined): readonly string[] {
  const [program = '', ...args] = command;
  return directory !== undefined && program.includes('/') ? [resolve(directory, program), ...args] : command;
}

function wrong(name: string, why: string): Error {
  return new Error(`image ${JSON.stringify(name)} ${why}`);
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function isStrings(value: unknown): value is string[] {
  return Array.isArray(value) && value.every((word) => typeof word === 'string');
}
