import assert from 'node:assert/strict';
import { afterEach, beforeEach, test } from 'node:test';
import * as fc from 'fast-check';
import { kinds } from '../../src/kinds/index.ts';
import type { ApiObject } from '../../src/kinds/meta/object-meta.ts';
import { servedVersions, type ServedVersion } from '../../src/kinds/served-version.ts';
import { createJsonPatch } from '../../src/registry/patch/json-patch-diff.ts';
import type { JsonObject } from '../../src/registry/patch/json.ts';
import { createMergePatch } from '../../src/registry/patch/merge-patch.ts';
import type { PatchType } from '../../src/registry/patch/patch.ts';
import { createStrategicMergePatch } from '../../src/registry/patch/strategic-merge-diff.ts';
import { decode } from '../../src/schema/decode.ts';
import { applyEdits, type Edit } from '../../src/schema/testing/edit.ts';
import { fuzzRuns } from '../../src/schema/testing/fuzz-runs.ts';
import { openFuzzCluster, type FuzzCluster } from './fuzz-cluster.ts';
import { fuzzScript, type FuzzStep } from './fuzz-step.ts';

let cluster: FuzzCluster;
let created = 0;
let stored = 0;

// Limits and quotas that a run leaves behind must not keep out what another writes.
beforeEach(async () => {
  cluster = await openFuzzCluster();
  created = 0;
  stored = 0;
});
afterEach(() => cluster.close());

for (const served of kinds.flatMap(servedVersions)) {
  test(`whatever is written as ${served.kind.kind} of ${served.apiVersion} is refused or can be read and written back`, async () => {
    const property = fc.asyncProperty(fuzzScript(served), async ({ create, steps }) => {
      const object = await begin(served, create);
      if (!object) return;
      try {
        await object.check();
        for (const step of steps) await object.take(step);
      } finally {
        await object.end();
      }
    });
    const { numRuns, ...options } = fuzzRuns(20);
    await fc.assert(property, { numRuns, ...options });
    // In few runs it can happen that next to none is stored.
    if (numRuns < 200) return;
    assert.ok(stored > numRuns / 10, `only ${stored} of ${numRuns} bodies were stored: too few to mean anything`);
  });
}

function exampleOf({ kind, conversion }: ServedVersion): ApiObject {
  const example = decode(kind.schema, kind.example).value;
  return conversion?.fromStored(example) ?? example;
}

async function begin(served: ServedVersion, edits: readonly Edit[]): Promise<FuzzedObject | undefined> {
  const example = exampleOf(served);
  const named = { ...example, metadata: { ...example.metadata, name: `f${++created}` } };
  const { code, body } = await cluster.call('POST', collectionOf(served), applyEdits(named, edits));
  if (code >= 400) return undefined;
  assert.equal(code, served.createdCode);
  stored++;
  return new FuzzedObject(served, body.metadata.name!);
}

function collectionOf({ prefix, kind }: ServedVersion): string {
  return `${prefix}${kind.namespaced ? '/namespaces/default' : ''}/${kind.resource}`;
}

/** An object that the server took, and what it must then hold to. */
class FuzzedObject {
  readonly #served: ServedVersion;
  readonly #name: string;

  constructor(served: ServedVersion, name: string) {
    this.#served = served;
    this.#name = name;
  }

  async take(step: FuzzStep): Promise<void> {
    const path = this.#path(this.#served);
    if (step.type === 'delete') {
      await cluster.call('DELETE', path, step.options);
    } else if (step.type === 'patch') {
      await cluster.call('PATCH', path, step.patch, step.patchType);
    } else {
      const { code, body } = await cluster.call('GET', path);
      if (code === 404) return;
      const edited = applyEdits(body, step.edits);
      if (step.type === 'replace') await cluster.call('PUT', `${path}${step.part}`, edited);
      else await cluster.call('PATCH', path, diff(step.patchType, this.#served, body, edited), step.patchType);
    }
    await this.check();
  }

  /** What is stored can be written back through every version, and that changes nothing. */
  async check(): Promise<void> {
    for (const served of servedVersions(this.#served.kind)) {
      const read = await cluster.call('GET', this.#path(served));
      if (read.code === 404) return;
      assert.equal(read.code, 200);
      const written = await cluster.call('PUT', this.#path(served), read.body);
      const what = `PUT of what was read answered ${JSON.stringify(written.body)}`;
      assert.equal(written.code, 200, what);
      if (read.body.metadata.labels) assert.deepEqual(written.body, read.body);
      else assert.deepEqual(withoutLabels(written.body), withoutLabels(read.body));
      assert.deepEqual((await cluster.call('GET', this.#path(served))).body, written.body);
    }
  }

  async end(): Promise<void> {
    await cluster.call('DELETE', this.#path(this.#served), { gracePeriodSeconds: 0 });
  }

  #path(served: ServedVersion): string {
    return `${collectionOf(served)}/${encodeURIComponent(this.#name)}`;
  }
}

/** What has no labels may get those of its template when another version writes it, and counts as changed then. */
function withoutLabels(object: ApiObject): ApiObject {
  const { labels: _labels, resourceVersion: _resourceVersion, ...metadata } = object.metadata;
  return { ...object, metadata };
}

function diff(type: PatchType, { schema }: ServedVersion, before: object, to: JsonObject): unknown {
  const from = before as JsonObject;
  if (type === 'application/json-patch+json') return createJsonPatch(from, to);
  if (type === 'application/merge-patch+json') return createMergePatch(from, to);
  return createStrategicMergePatch(schema, from, to);
}
