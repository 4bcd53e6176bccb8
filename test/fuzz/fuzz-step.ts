import * as fc from 'fast-check';
import type { ServedVersion } from '../../src/kinds/served-version.ts';
import { patchTypes, type PatchType } from '../../src/registry/patch/patch.ts';
import { breakingEdit, strangeValue, typedEdit, type Edit } from '../../src/schema/testing/edit.ts';
import { objectArbitrary } from '../../src/schema/testing/value-arbitrary.ts';

/** What is done to an object that was created. */
export type FuzzStep =
  | { readonly type: 'replace'; readonly part: '' | '/status'; readonly edits: readonly Edit[] }
  /** A patch that leads to the edited object. */
  | { readonly type: 'edit'; readonly patchType: PatchType; readonly edits: readonly Edit[] }
  /** Any patch, fitting or not. */
  | { readonly type: 'patch'; readonly patchType: PatchType; readonly patch: unknown }
  | { readonly type: 'delete'; readonly options: unknown };

export interface FuzzScript {
  readonly create: readonly Edit[];
  readonly steps: readonly FuzzStep[];
}

/** A life of one object. Half of all bodies keep to the types, so that a good part of them is stored. */
export function fuzzScript({ schema }: ServedVersion): fc.Arbitrary<FuzzScript> {
  const typed = fc.array(typedEdit(schema), { maxLength: 3 });
  const broken = fc.array(fc.oneof(typedEdit(schema), breakingEdit(schema)), { minLength: 1, maxLength: 4 });
  const edits = fc.oneof({ weight: 2, arbitrary: typed }, { weight: 1, arbitrary: broken });
  const patchType = fc.constantFrom(...(Object.keys(patchTypes) as PatchType[]));
  const part = fc.constantFrom('', '', '/status');
  const step: fc.Arbitrary<FuzzStep> = fc.oneof(
    { weight: 3, arbitrary: fc.record({ type: fc.constant('replace' as const), part, edits }) },
    { weight: 3, arbitrary: fc.record({ type: fc.constant('edit' as const), patchType, edits }) },
    {
      weight: 3,
      arbitrary: fc.record({
        type: fc.constant('patch' as const),
        patchType,
        patch: fc.oneof(strangePatch, objectArbitrary(schema), strangeValue),
      }),
    },
    { weight: 1, arbitrary: fc.record({ type: fc.constant('delete' as const), options: deleteOptions }) },
  );
  return fc.record({ create: edits, steps: fc.array(step, { maxLength: 5 }) });
}

const pointer = fc
  .array(
    fc.constantFrom('metadata', 'spec', 'labels', 'name', '0', '-', '-1', '1e3', '~', '~1', '__proto__', '', 'x'),
    {
      maxLength: 4,
    },
  )
  .map((segments) => segments.map((segment) => `/${segment}`).join(''));

const operation = fc.record(
  {
    op: fc.constantFrom('add', 'remove', 'replace', 'move', 'copy', 'test', 'spoil', ''),
    path: pointer,
    from: pointer,
    value: strangeValue,
  },
  { requiredKeys: [] },
);

const directive = fc.dictionary(
  fc.constantFrom('$patch', '$retainKeys', '$setElementOrder/containers', 'metadata', 'spec', 'data', '$unheardOf'),
  fc.oneof(fc.constantFrom('replace', 'delete', 'merge', ['metadata'], []), strangeValue),
  { maxKeys: 4 },
);

const strangePatch: fc.Arbitrary<unknown> = fc.oneof(
  fc.array(operation, { maxLength: 4 }),
  directive,
  fc.record({ metadata: directive, spec: directive }, { requiredKeys: [] }),
);

const deleteOptions: fc.Arbitrary<unknown> = fc.oneof(
  fc.constant(undefined),
  fc.record(
    {
      kind: fc.constantFrom('DeleteOptions', 'Pod', 7),
      apiVersion: fc.constantFrom('v1', 'v2'),
      gracePeriodSeconds: fc.oneof(fc.constantFrom(0, 1, 30, -1, 2 ** 40), strangeValue),
      preconditions: fc.oneof(fc.record({ uid: fc.constantFrom('x', '') }), strangeValue),
      orphanDependents: fc.oneof(fc.boolean(), strangeValue),
    },
    { requiredKeys: [] },
  ),
  strangeValue,
);
