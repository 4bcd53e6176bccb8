/**
 * A process that writes until it is killed, and prints each write as soon as it is answered: key, value and revision, separated by spaces.
 * Arguments: the directory, and a name that no earlier run used.
 */
import { writeSync } from 'node:fs';
import { systemClock } from '../../base/clock.ts';
import { openLmdbStorage } from './lmdb-storage.ts';

const [path, run] = process.argv.slice(2);
const storage = await openLmdbStorage({ path: path!, clock: systemClock });
const padding = 'x'.repeat(2_000);

function answered(key: string, value: string, revision: number): void {
  writeSync(1, `${key} ${value} ${revision}\n`);
}

async function write(writer: number): Promise<never> {
  for (let round = 0; ; round++) {
    const key = `/${run}/${writer}/${round}`;
    let { revision } = await storage.create(key, Buffer.from(`created${padding}`));
    answered(key, 'created', revision);
    ({ revision } = await storage.update(key, Buffer.from(`updated${padding}`), revision));
    answered(key, 'updated', revision);
    if (round % 3 > 0) continue;
    ({ revision } = await storage.delete(key, revision));
    answered(key, 'deleted', revision);
  }
}

await Promise.all(Array.from({ length: 8 }, (_, writer) => write(writer)));
