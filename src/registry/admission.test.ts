import assert from 'node:assert/strict';
import { test } from 'node:test';
import { configMap } from '../kinds/core/config-map.ts';
import { forbidden, isApiError } from '../kinds/meta/api-error.ts';
import type { AdmissionPlugin } from './admission.ts';
import { openRegistry, serve } from './testing/open-registry.ts';

/** A plugin that notes how its reservation ends, and may fail at that. */
function reserving(name: string, ends: string[], fails = false): AdmissionPlugin {
  const end = (how: string) => async (): Promise<void> => {
    ends.push(`${name} ${how}`);
    if (fails) throw new Error('storage is gone');
  };
  return { name, reserve: () => ({ undo: end('undone'), settle: end('settled') }) };
}

const refusing: AdmissionPlugin = {
  name: 'refusing',
  reserve({ name }) {
    if (name === 'refused') throw forbidden({ resource: 'configmaps', name }, 'by its name');
    return undefined;
  },
};

test('all that was reserved for a refused write is given back, even where one plugin fails at it', async () => {
  const ends: string[] = [];
  const admission = [reserving('first', ends), reserving('second', ends, true), refusing];
  const { createConfigMap } = openRegistry({ admission });
  await assert.rejects(createConfigMap('refused'), (error) => isApiError(error, 403));
  assert.deepEqual(ends, ['second undone', 'first undone']);
});

test('a write that is committed stands, even where a plugin fails behind it', async () => {
  const ends: string[] = [];
  const admission = [reserving('first', ends, true), reserving('second', ends)];
  const { createConfigMap, registry } = openRegistry({ admission });
  await createConfigMap('a');
  assert.deepEqual(ends, ['first settled', 'second settled']);
  await registry.get({ served: serve(configMap), namespace: 'one', name: 'a' });
});
