import * as fc from 'fast-check';

const keys = ['/a', '/a/1', '/a/2', '/a0', '/b/x', '/b/\u{1f600}', '/b/\uffee', '/b/é', 'b', '\0'];
const prefixes = ['', '/', '/a', '/a/', '/b/', '/b/\u{1f600}', '/none'];

/** A write as it is drawn: whether it names the right revision can only be worked out when it is made. */
export interface WriteStep {
  readonly type: 'create' | 'update' | 'delete';
  readonly key: string;
  readonly value: string;
  readonly expects: 'current' | 'older' | 'newer';
}

/** One thing to do. `back` counts revisions back from the newest (and so ahead of it when negative). */
export type Step =
  | { readonly do: 'write'; readonly writes: readonly WriteStep[] }
  | { readonly do: 'get'; readonly key: string; readonly back?: number }
  | {
      readonly do: 'list';
      readonly prefix: string;
      readonly back?: number;
      readonly limit?: number;
      readonly after?: string;
    }
  | { readonly do: 'watch'; readonly prefix: string; readonly back: number }
  | { readonly do: 'unwatch'; readonly index: number }
  | { readonly do: 'compact'; readonly back: number }
  | { readonly do: 'wait'; readonly ms: number }
  | { readonly do: 'reopen' };

const key = fc.constantFrom(...keys);
const prefix = fc.constantFrom(...prefixes);
const back = fc.integer({ min: -2, max: 12 });
const maybe = <T>(value: fc.Arbitrary<T>): fc.Arbitrary<T | undefined> => fc.option(value, { nil: undefined });

const write: fc.Arbitrary<WriteStep> = fc.record({
  type: fc.constantFrom('create', 'update', 'delete'),
  key,
  value: fc.string({ maxLength: 20, unit: 'grapheme-ascii' }),
  expects: fc.oneof({ weight: 4, arbitrary: fc.constant('current' as const) }, fc.constantFrom('older', 'newer')),
});

const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 8,
    arbitrary: fc.record({ do: fc.constant('write'), writes: fc.array(write, { minLength: 1, maxLength: 6 }) }),
  },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('get'), key, back: maybe(back) }) },
  {
    weight: 4,
    arbitrary: fc.record({
      do: fc.constant('list'),
      prefix,
      back: maybe(back),
      limit: maybe(fc.integer({ min: 1, max: 5 })),
      after: maybe(key),
    }),
  },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('watch'), prefix, back }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('unwatch'), index: fc.nat() }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('compact'), back }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('wait'), ms: fc.integer({ min: 1, max: 2_000 }) }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('reopen') }) },
);

export const steps = fc.array(step, { maxLength: 40, size: 'max' });

export const bounds = fc.constantFrom(
  { count: 1_000, bytes: 1_000_000, ageMs: 1_000_000 },
  { count: 7, bytes: 1_000_000, ageMs: 1_000_000 },
  { count: 1_000, bytes: 300, ageMs: 1_000_000 },
  { count: 1_000, bytes: 1_000_000, ageMs: 3_000 },
  { count: 0, bytes: 0, ageMs: 0 },
);
