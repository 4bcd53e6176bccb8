import assert from 'node:assert/strict';
import { test } from 'node:test';
import * as fc from 'fast-check';
import { SteppedClock } from '../../base/stepped-clock.ts';
import { StorageError } from '../storage.ts';
import type { HistoryBounds, Storage, StorageWatch, Written } from '../storage.ts';
import { bytes, entryText, entryTexts, WatchLog } from './expectations.ts';
import { bounds, steps } from './model-steps.ts';
import type { Step, WriteStep } from './model-steps.ts';
import { StorageModel } from './model.ts';
import type { ModelEntry, ModelWrite } from './model.ts';

export interface ModelledOptions {
  readonly clock: SteppedClock;
  readonly history: HistoryBounds;
}

/** A storage that a run goes through, and what clears it away. `reopen` is absent where nothing outlives closing. */
export interface ModelledStorage {
  readonly storage: Storage;
  readonly reopen?: () => Promise<Storage>;
  readonly clear: () => Promise<void>;
}

export interface ModelSuiteOptions {
  readonly runs: number;
  /** Whether writes of different keys take effect in the order in which they are started; they do when absent. */
  readonly ordersKeys?: boolean;
  readonly open: (options: ModelledOptions) => Promise<ModelledStorage>;
}

/** Random sequences of calls, whose every answer and event must be what the plain model says. */
export function modelSuite(name: string, options: ModelSuiteOptions): void {
  test(`${name} storage does what the model does`, async () => {
    const property = fc.asyncProperty(bounds, steps, async (history, sequence) => {
      const clock = new SteppedClock();
      const modelled = await options.open({ clock, history });
      const model = new StorageModel(history, await modelled.storage.revision());
      const run = new ModelRun({ modelled, clock, model, ordersKeys: options.ordersKeys ?? true });
      try {
        for (const step of sequence) await run.take(step);
        run.checkWatches();
      } finally {
        await run.end();
      }
    });
    await fc.assert(property, { numRuns: options.runs });
  });
}

interface RunWatch {
  readonly prefix: string;
  readonly after: number;
  readonly log: WatchLog;
  readonly watch: StorageWatch;
  /** What it must have heard; known once it is closed. */
  final?: readonly string[];
}

interface ModelRunParts {
  readonly modelled: ModelledStorage;
  readonly clock: SteppedClock;
  readonly model: StorageModel;
  readonly ordersKeys: boolean;
}

class ModelRun {
  readonly #modelled: ModelledStorage;
  readonly #clock: SteppedClock;
  readonly #model: StorageModel;
  readonly #ordersKeys: boolean;
  readonly #watches: RunWatch[] = [];
  #storage: Storage;

  constructor({ modelled, clock, model, ordersKeys }: ModelRunParts) {
    this.#modelled = modelled;
    this.#clock = clock;
    this.#model = model;
    this.#ordersKeys = ordersKeys;
    this.#storage = modelled.storage;
  }

  async take(step: Step): Promise<void> {
    switch (step.do) {
      case 'write':
        return this.#write(step.writes);
      case 'get':
        return this.#get(step);
      case 'list':
        return this.#list(step);
      case 'watch':
        return this.#watch(step);
      case 'unwatch':
        return this.#unwatch(step.index);
      case 'compact':
        return this.#compact(step.back);
      case 'wait':
        return this.#clock.step(step.ms);
      case 'reopen':
        return this.#reopen();
    }
  }

  checkWatches(): void {
    for (const { prefix, after, log, final } of this.#watches) {
      assert.deepEqual(log.texts, final ?? this.#model.events(prefix, after));
    }
  }

  async end(): Promise<void> {
    await this.#storage.close();
    await this.#modelled.clear();
  }

  async #write(steps: readonly WriteStep[]): Promise<void> {
    if (this.#ordersKeys) await this.#writeInOrder(steps);
    else for (const wave of wavesOf(steps)) await this.#writeInAnyOrder(wave);
    assert.equal(await this.#storage.revision(), this.#model.revision);
    this.checkWatches();
  }

  /** Starts writes of different keys, and asks the model in the order that they turn out to have taken effect in. */
  async #writeInAnyOrder(steps: readonly WriteStep[]): Promise<void> {
    const started = steps.map((step) => {
      const write = this.#writeOf(step);
      return { write, answer: outcomeOf(this.#start(write)) };
    });
    const answered: { write: ModelWrite; outcome: unknown }[] = [];
    for (const { write, answer } of started) answered.push({ write, outcome: await answer });
    const place = ({ outcome }: { outcome: unknown }): number => (typeof outcome === 'number' ? outcome : 0);
    for (const { write, outcome } of answered.toSorted((a, b) => place(a) - place(b))) {
      assert.equal(outcome, this.#model.write(write, this.#clock.now()));
    }
  }

  /** Starts all the writes before any is answered. */
  async #writeInOrder(steps: readonly WriteStep[]): Promise<void> {
    const started = steps.map((step) => {
      const write = this.#writeOf(step);
      return { expected: this.#model.write(write, this.#clock.now()), answer: outcomeOf(this.#start(write)) };
    });
    for (const { expected, answer } of started) assert.equal(await answer, expected);
  }

  #writeOf({ type, key, value, expects }: WriteStep): ModelWrite {
    const current = this.#model.current(key)?.revision ?? this.#model.revision;
    const expected = { current, older: current - 1, newer: current + 1 }[expects];
    return { type, key, value, expected };
  }

  #start({ type, key, value, expected }: ModelWrite): Promise<Written> {
    if (type === 'create') return this.#storage.create(key, bytes(value));
    if (type === 'update') return this.#storage.update(key, bytes(value), expected);
    return this.#storage.delete(key, expected);
  }

  async #get({ key, back }: { readonly key: string; readonly back?: number }): Promise<void> {
    const revision = this.#revision(back);
    const read = this.#storage.get(key, back === undefined ? {} : { revision });
    if (await this.#isRefused(read, revision)) return;
    assert.equal(entryText(await read), textOf(this.#model.get(key, revision)));
  }

  async #list(step: Step & { readonly do: 'list' }): Promise<void> {
    const { prefix, back, limit, after } = step;
    const revision = this.#revision(back);
    const read = this.#storage.list(prefix, { limit, after, ...(back === undefined ? {} : { revision }) });
    if (await this.#isRefused(read, revision)) return;
    const listing = await read;
    const expected = this.#model.list(prefix, revision, after).map(textOf);
    assert.deepEqual(entryTexts(listing), expected.slice(0, limit));
    assert.equal(listing.remaining, expected.length - listing.entries.length);
    assert.equal(listing.revision, revision);
  }

  async #watch({ prefix, back }: { readonly prefix: string; readonly back: number }): Promise<void> {
    const after = this.#revision(back);
    const log = new WatchLog();
    const opening = this.#storage.watch(prefix, after, log);
    if (after <= this.#model.revision && (await this.#isRefused(opening, after))) return;
    this.#watches.push({ prefix, after, log, watch: await opening });
    this.checkWatches();
  }

  #unwatch(index: number): void {
    const open = this.#watches.filter(({ final }) => !final);
    const chosen = open[index % Math.max(1, open.length)];
    if (!chosen) return;
    chosen.watch.close();
    chosen.final = this.#model.events(chosen.prefix, chosen.after);
  }

  async #compact(back: number): Promise<void> {
    const revision = this.#revision(back);
    const outcome = await outcomeOf(this.#storage.compact(revision));
    assert.equal(outcome, revision > this.#model.revision ? 'FutureRevision' : undefined);
    if (outcome === undefined) this.#model.compact(revision);
  }

  async #reopen(): Promise<void> {
    if (!this.#modelled.reopen) return;
    const open = this.#watches.filter(({ final }) => !final);
    await this.#storage.close();
    for (const watch of open) {
      assert.deepEqual(watch.log.ends, [undefined]);
      watch.final = this.#model.events(watch.prefix, watch.after);
    }
    this.#storage = await this.#modelled.reopen();
    assert.equal(await this.#storage.revision(), this.#model.revision);
  }

  /** Whether the read is refused, which it must be or may be according to the model. */
  async #isRefused(read: Promise<unknown>, revision: number): Promise<boolean> {
    const outcome = await outcomeOf(read);
    const isCode = typeof outcome === 'string';
    if (revision > this.#model.revision) assert.equal(outcome, 'FutureRevision');
    else if (this.#model.knows(revision) === 'yes') assert.equal(isCode, false, `refused with ${String(outcome)}`);
    else if (this.#model.knows(revision) === 'no' || isCode) assert.equal(outcome, 'Compacted');
    return isCode;
  }

  #revision(back = 0): number {
    return Math.max(this.#model.start, this.#model.revision - back);
  }
}

/** The writes in as few groups as it takes for no group to write a key twice, those of one key in order. */
function wavesOf(steps: readonly WriteStep[]): WriteStep[][] {
  const waves: WriteStep[][] = [];
  for (const step of steps) {
    const last = waves.findLastIndex((wave) => wave.some(({ key }) => key === step.key));
    (waves[last + 1] ??= []).push(step);
  }
  return waves;
}

/** The revision of a write, the code of what refused the call, or nothing. */
async function outcomeOf(call: Promise<unknown>): Promise<unknown> {
  try {
    const result = await call;
    return typeof result === 'object' && result !== null && 'revision' in result ? result.revision : undefined;
  } catch (error) {
    if (error instanceof StorageError) return error.code;
    throw error;
  }
}

function textOf(entry: ModelEntry | undefined): string | undefined {
  return entry && `${entry.key}=${entry.value}@${entry.revision}`;
}
