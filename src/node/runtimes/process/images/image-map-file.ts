import { readFile, stat } from 'node:fs/promises';
import { resolve } from 'node:path';
import type { Logger } from '../../../../base/logger.ts';
import { parseImageMap, type ImageMap } from './image-map.ts';

/**
 * The user's image map. Whoever asks gets what the file says now: it is looked at each time and read again when it is another. One that cannot
 * be read leaves the map as it was, with a line in the log.
 */
export class ImageMapFile {
  readonly path: string;
  readonly #logger: Logger;
  /** What the file said when it was last looked at, or will have said when it is read. */
  #map: Promise<ImageMap>;
  #mark: string;

  private constructor(path: string, { map, mark }: ReadMap, logger: Logger) {
    this.path = path;
    this.#map = Promise.resolve(map);
    this.#mark = mark;
    this.#logger = logger;
  }

  /** Fails when the file is not there or not right. */
  static async open(path: string, logger: Logger): Promise<ImageMapFile> {
    const full = resolve(path);
    return new ImageMapFile(full, await readMap(full, await markOf(full)), logger);
  }

  async current(): Promise<ImageMap> {
    try {
      const mark = await markOf(this.path);
      if (mark !== this.#mark) this.#map = this.#readAgain(this.#map, mark);
      this.#mark = mark;
    } catch (error) {
      this.#tellUnread(error);
    }
    return this.#map;
  }

  async #readAgain(before: Promise<ImageMap>, mark: string): Promise<ImageMap> {
    try {
      const { map } = await readMap(this.path, mark);
      this.#logger.info('read the image map again', { path: this.path, images: map.size });
      return map;
    } catch (error) {
      this.#tellUnread(error);
      return before;
    }
  }

  #tellUnread(error: unknown): void {
    this.#logger.warn('the image map stays as it was', { path: this.path, error });
  }
}

interface ReadMap {
  readonly map: ImageMap;
  readonly mark: string;
}

/** Another one for every other content, links followed. */
async function markOf(path: string): Promise<string> {
  const { ino, size, mtimeNs } = await stat(path, { bigint: true });
  return `${ino} ${size} ${mtimeNs}`;
}

async function readMap(path: string, mark: string): Promise<ReadMap> {
  const text = await readFile(path, 'utf8');
  try {
    // JSON is YAML too. The parser is loaded only by those who have a map.
    const { parse } = await import('yaml');
    return { map: parseImageMap(parse(text)), mark };
  } catch (error) {
    throw new Error(`${path} is no image map: ${(error as Error).message}`, { cause: error });
  }
}
