import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { encodeOpenApiV2 } from './openapi-v2-protobuf.ts';
import { writeOpenApiV2, type OpenApiV2 } from './openapi-v2.ts';
import { describedApi } from './testing/described-api.ts';

/** The fields of a message as any reader finds them: numbers and raw bytes. */
class Message {
  readonly #fields: [number: number, bytes: Buffer][] = [];

  constructor(bytes: Buffer) {
    let at = 0;
    const varint = (): number => {
      for (let value = 0, shift = 1; ; shift *= 0x80) {
        const byte = bytes[at++]!;
        value += (byte & 0x7f) * shift;
        if (byte < 0x80) return value;
      }
    };
    while (at < bytes.length) {
      const tag = varint();
      const length = tag % 8 === 2 ? varint() : 0;
      const start = at;
      if (tag % 8 === 0) varint();
      else at += tag % 8 === 1 ? 8 : length;
      this.#fields.push([Math.floor(tag / 8), bytes.subarray(start, at)]);
    }
    assert.equal(at, bytes.length, 'the message ends with its last field');
  }

  all(number: number): Message[] {
    return this.#raw(number).map((bytes) => new Message(bytes));
  }

  /** The only message with that number, or with those one inside the other. */
  one(...numbers: number[]): Message {
    return numbers.reduce<Message>((message, number) => {
      const [only, ...more] = message.all(number);
      assert.ok(only && more.length === 0, `one field ${number}`);
      return only;
    }, this);
  }

  texts(number: number): string[] {
    return this.#raw(number).map((bytes) => bytes.toString('utf8'));
  }

  text(number: number): string {
    return this.texts(number).join('|');
  }

  /** The value of a pair of that name. */
  named(pairs: number, name: string): Message {
    const pair = this.all(pairs).find((each) => each.text(1) === name);
    assert.ok(pair, `nothing is named ${name}`);
    return pair.one(2);
  }

  #raw(number: number): Buffer[] {
    return this.#fields.filter(([each]) => each === number).map(([, bytes]) => bytes);
  }
}

const json = writeOpenApiV2(describedApi());
const document = new Message(encodeOpenApiV2(json));
const definitions = document.one(9);
const paths = document.one(8);

function extension(holder: Message, number: number, name: string): unknown {
  return JSON.parse(holder.named(number, name).text(2));
}

describe('OpenAPI 2 in protobuf', () => {
  it('says the same as in JSON', () => {
    assert.equal(document.text(1), '2.0');
    assert.equal(document.one(2).text(2), '0.0.0');
    assert.deepEqual(definitions.all(1).map((pair) => pair.text(1)), Object.keys(json.definitions)); // prettier-ignore
    assert.deepEqual(paths.all(2).map((pair) => pair.text(1)), Object.keys(json.paths)); // prettier-ignore
    for (const pair of definitions.all(1)) {
      const schema = json.definitions[pair.text(1)]!;
      const fields = pair.one(2).all(25).flatMap((properties) => properties.all(1)); // prettier-ignore
      assert.deepEqual(fields.map((field) => field.text(1)), Object.keys(schema.properties ?? {})); // prettier-ignore
      assert.deepEqual(pair.one(2).texts(19), schema.required ?? []);
      assert.equal(pair.one(2).text(4), schema.description);
    }
  });

  it('carries what kubectl looks for in a kind', () => {
    const pod = definitions.named(1, 'io.k8s.api.core.v1.Pod');
    const [kind] = extension(pod, 31, 'x-kubernetes-group-version-kind') as object[];
    assert.deepEqual(kind, { group: '', version: 'v1', kind: 'Pod' });
    assert.equal(pod.one(22).text(1), 'object');
    const spec = pod.one(25).named(1, 'spec');
    assert.equal(spec.text(1), '#/definitions/io.k8s.api.core.v1.PodSpec');
    const containers = definitions.named(1, 'io.k8s.api.core.v1.PodSpec').one(25).named(1, 'containers');
    assert.equal(extension(containers, 31, 'x-kubernetes-patch-merge-key'), 'name');
    assert.equal(containers.one(23, 1).text(1), '#/definitions/io.k8s.api.core.v1.Container');
    const labels = definitions.named(1, 'io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta').one(25).named(1, 'labels');
    assert.equal(labels.one(21, 1, 22).text(1), 'string');
    const policy = definitions.named(1, 'io.k8s.api.core.v1.PodSpec').one(25).named(1, 'restartPolicy');
    assert.deepEqual(policy.all(20).map((value) => JSON.parse(value.text(2))), ['Always', 'OnFailure', 'Never']); // prettier-ignore
  });

  it('carries what kubectl looks for in a patch', () => {
    const patch = paths.named(2, '/api/v1/namespaces/{namespace}/pods/{name}').one(8);
    assert.equal(patch.text(5), 'patchCoreV1NamespacedPod');
    const kind = extension(patch, 13, 'x-kubernetes-group-version-kind');
    assert.deepEqual(kind, { group: '', version: 'v1', kind: 'Pod' });
    const parameters = patch.all(8).map((item) => item.one(1));
    const query = parameters.flatMap((parameter) => parameter.all(2).flatMap((each) => each.all(3)));
    assert.ok(query.some((each) => each.text(4) === 'dryRun' && each.text(2) === 'query' && each.text(6) === 'string'));
    const inPath = parameters.flatMap((parameter) => parameter.all(2).flatMap((each) => each.all(4)));
    assert.deepEqual(inPath.map((each) => each.text(4)), ['namespace', 'name']); // prettier-ignore
    const body = parameters.flatMap((parameter) => parameter.all(1));
    assert.equal(body[0]?.one(5).text(1), '#/definitions/io.k8s.apimachinery.pkg.apis.meta.v1.Patch');
    const answer = patch.one(9).named(1, '200').one(1, 2, 1);
    assert.equal(answer.text(1), '#/definitions/io.k8s.api.core.v1.Pod');
  });

  it('loses nothing in silence', () => {
    const odd = { ...json, surprise: true } as OpenApiV2;
    assert.throws(() => encodeOpenApiV2(odd), /surprise/);
  });
});
