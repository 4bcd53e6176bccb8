import { describe } from 'node:test';
import type { TestContext } from 'node:test';
import type { Clock } from '../../base/clock.ts';
import type { HistoryBounds, Storage } from '../storage.ts';
import { closeSuite } from './close-suite.ts';
import { historySuite } from './history-suite.ts';
import { listSuite } from './list-suite.ts';
import { watchSuite } from './watch-suite.ts';
import { writeSuite } from './write-suite.ts';

export interface OpenOptions {
  /** The machine's own when absent. */
  readonly clock?: Clock;
  /** Bounds that no test reaches when absent. */
  readonly history?: HistoryBounds;
}

/** Opens an empty storage for one test and sees to it that it is closed and cleared away after. */
export type OpenStorage = (t: TestContext, options?: OpenOptions) => Promise<Storage>;

/** The contract of `Storage`, sentence by sentence. Every make runs it. */
export function storageSuite(name: string, open: OpenStorage): void {
  describe(`${name} storage`, () => {
    writeSuite(open);
    listSuite(open);
    watchSuite(open);
    historySuite(open);
    closeSuite(open);
  });
}
