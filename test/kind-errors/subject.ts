import assert from 'node:assert/strict';
import type { ApiObject } from '../../src/kinds/meta/object-meta.ts';
import type { StatusDetails } from '../../src/kinds/meta/status.ts';
import type { ServedVersion } from '../../src/kinds/served-version.ts';
import { decode } from '../../src/schema/decode.ts';
import type { AnswerBody, ReceivedAnswer, SentRequest } from '../../src/server/testing/http-client.ts';

export interface Call {
  readonly method: string;
  readonly path: string;
  readonly body?: unknown;
  readonly mediaType?: string;
}

export interface Refusal {
  readonly reason: string;
  readonly message: string;
  readonly details: StatusDetails;
  /** The fields that were found wrong. */
  readonly fields: readonly string[];
}

/** What a subject needs of the cluster that it is tried on. */
export interface Stage {
  send(method: string, path: string, sent?: SentRequest): Promise<ReceivedAnswer>;
  /** A name that nothing has. */
  freshName(): string;
}

export const mergePatch = 'application/merge-patch+json';
export const strategicPatch = 'application/strategic-merge-patch+json';
export const jsonPatch = 'application/json-patch+json';

/** A kind in one version, in a namespace of its own, and the requests that its tests send. */
export class Subject {
  readonly served: ServedVersion;
  /** Names that were given out, and those of them that were taken by an object. */
  readonly #tried = new Set<string>();
  readonly created = new Set<string>();
  readonly #stage: Stage;
  #namespace = '';

  constructor(served: ServedVersion, stage: Stage) {
    this.served = served;
    this.#stage = stage;
  }

  async open(): Promise<void> {
    this.#namespace = await this.createNamespace();
  }

  freshName(): string {
    const name = this.#stage.freshName();
    this.#tried.add(name);
    return name;
  }

  async createNamespace(): Promise<string> {
    const name = this.#stage.freshName();
    const answer = await this.#stage.send('POST', '/api/v1/namespaces', { body: { metadata: { name } } });
    assert.equal(answer.code, 200, answer.text);
    return name;
  }

  /** The example in this version under another name. */
  example(name: string | undefined, namespace = this.#namespace): ApiObject {
    const { kind, conversion } = this.served;
    const decoded = decode(kind.schema, kind.example).value;
    const text = JSON.stringify(conversion?.fromStored(decoded) ?? decoded);
    // Some examples refer to what is in their own namespace.
    const example = JSON.parse(text.replaceAll('"namespace":"default"', `"namespace":"${namespace}"`)) as ApiObject;
    return { ...example, metadata: { ...example.metadata, name } };
  }

  collection(namespace = this.#namespace): string {
    const { prefix, kind } = this.served;
    return `${prefix}${kind.namespaced ? `/namespaces/${namespace}` : ''}/${kind.resource}`;
  }

  post(body: unknown, namespace?: string): Call {
    return { method: 'POST', path: this.collection(namespace), body };
  }

  get(name: string, namespace?: string): Call {
    return { method: 'GET', path: `${this.collection(namespace)}/${name}` };
  }

  put(name: string, body: unknown, namespace?: string): Call {
    return { ...this.get(name, namespace), method: 'PUT', body };
  }

  patch(name: string, body: unknown, mediaType = mergePatch): Call {
    return { ...this.get(name), method: 'PATCH', body, mediaType };
  }

  remove(name: string, body?: unknown): Call {
    return { ...this.get(name), method: 'DELETE', body };
  }

  send({ method, path, body, mediaType }: Call): Promise<ReceivedAnswer> {
    const headers = mediaType === undefined ? undefined : { 'Content-Type': mediaType };
    return this.#stage.send(method, path, { body, headers });
  }

  /** Lists the collection in this media type. */
  accept(mediaType: string): Promise<ReceivedAnswer> {
    return this.#stage.send('GET', this.collection(), { headers: { Accept: mediaType } });
  }

  /** Creates the example and gives what the server made of it. */
  create(name = this.freshName(), namespace?: string): Promise<AnswerBody> {
    return this.taken(this.post(this.example(name, namespace), namespace));
  }

  /** Sends what must be taken. */
  async taken(call: Call): Promise<AnswerBody> {
    const answer = await this.send(call);
    assert.ok(answer.code < 300, `${call.method} ${call.path}: ${answer.text}`);
    const object = answer.json();
    if (object.metadata.name) this.created.add(object.metadata.name);
    return object;
  }

  /** Sends what must be refused with this code. */
  async refused(code: number, call: Call): Promise<Refusal> {
    const answer = await this.send(call);
    assert.equal(answer.code, code, `${call.method} ${call.path}: ${answer.text}`);
    const status = answer.json();
    assert.deepEqual([status.kind, status['status'], status.code], ['Status', 'Failure', code]);
    const details = (status.details ?? {}) as StatusDetails;
    const fields = (details.causes ?? []).map(({ field = '' }) => field);
    return { reason: status.reason ?? '', message: status.message ?? '', details, fields };
  }

  /** Sends what must be refused with 422 because of this field, and says so in the version's own terms. */
  async invalid(field: string, call: Call): Promise<void> {
    const { reason, details, fields } = await this.refused(422, call);
    assert.equal(reason, 'Invalid');
    assert.equal(details.kind, this.served.kind.kind);
    assert.equal(details.group ?? '', this.served.group);
    assert.ok(fields.includes(field), `${fields.join(', ')} instead of ${field}`);
  }

  /** Names of what is there although it was never taken. */
  async leftBehind(): Promise<string[]> {
    const { items = [] } = (await this.send({ method: 'GET', path: this.collection() })).json();
    const names = items.map(({ metadata }) => metadata.name ?? '');
    return names.filter((name) => this.#tried.has(name) && !this.created.has(name));
  }
}

/** The object with other metadata. */
export function withMeta<T extends ApiObject>(object: T, metadata: object): T {
  return { ...object, metadata: { ...object.metadata, ...metadata } };
}
