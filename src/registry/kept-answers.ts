import { RecentMap } from '../base/recent-map.ts';
import type { ServedVersion } from '../kinds/served-version.ts';
import { encodeObject } from './encoding.ts';
import type { StoredObject } from './stored-object.ts';

interface KeptAnswer {
  /** What it was made from. */
  readonly bytes: Buffer;
  readonly served: ServedVersion;
  readonly answer: Buffer;
}

/** What all answers together may take in memory. */
const mostBytes = 8 * 1024 * 1024;

/** Objects as clients got them when they were asked for lately: as long as storage gives the same bytes for them, the answer is the same. */
export class KeptAnswers {
  readonly #answers = new RecentMap<string, KeptAnswer>({
    most: mostBytes,
    weightOf: ({ bytes, answer }) => bytes.length + answer.length,
  });

  of(stored: StoredObject, served: ServedVersion): Buffer {
    const { key, bytes } = stored;
    const kept = this.#answers.get(key);
    if (kept && kept.bytes === bytes && kept.served === served) return kept.answer;
    const answer = encodeObject(stored, served, { isKept: true });
    this.#answers.set(key, { bytes, served, answer });
    return answer;
  }

  clear(): void {
    this.#answers.clear();
  }
}
