import assert from 'node:assert/strict';
import { test } from 'node:test';
import { configMap } from '../kinds/core/config-map.ts';
import { ApiError, notFound } from '../kinds/meta/api-error.ts';
import type { AdmissionPlugin } from './admission.ts';
import { openRegistry, serve, shown, writeOptions, type TestRegistry } from './testing/open-registry.ts';

const served = serve(configMap);

/** Refuses whatever is in namespace `none`. */
const existingOnly: AdmissionPlugin = {
  name: 'ExistingOnly',
  mutate({ namespace }) {
    if (namespace === 'none') throw notFound({ group: '', resource: 'namespaces', name: namespace });
  },
};

/** What a create in `namespace` of a body that names another, or none, ends in. */
async function outcome({ registry }: TestRegistry, namespace: string, named?: string): Promise<unknown> {
  const body = { metadata: { name: 'a', namespace: named } };
  try {
    const { object } = await registry.create({ served, namespace }, { ...writeOptions, body });
    return shown(object).metadata.namespace;
  } catch (error) {
    if (error instanceof ApiError) return error.code;
    throw error;
  }
}

test('a body that names another namespace than the path is refused with 400', async () => {
  const scene = openRegistry({ admission: [existingOnly] });
  assert.equal(await outcome(scene, 'one', 'two'), 400);
  assert.equal(await outcome(scene, 'one', 'none'), 400);
  assert.equal(await outcome(scene, 'one'), 'one');
});

test('that the namespace of the path is missing comes before what the body names', async () => {
  const scene = openRegistry({ admission: [existingOnly] });
  assert.equal(await outcome(scene, 'none', 'one'), 404);
  assert.equal(await outcome(scene, 'none'), 404);
});
