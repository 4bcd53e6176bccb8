import { apiVersionOf, type Kind } from '../kinds/kind.ts';
import type { ApiObject, ListMeta } from '../kinds/meta/object-meta.ts';
import type { ServedVersion } from '../kinds/served-version.ts';
import type { Entry } from '../storage/storage.ts';
import { parseKey, selfLink } from './address.ts';
import type { ObjectList } from './list.ts';
import type { StoredObject } from './stored-object.ts';

/**
 * Stored bytes begin with kind, apiVersion and metadata, in this order, so that an answer is the stored bytes with resourceVersion and selfLink
 * written in behind the opening of metadata. Nothing is parsed.
 */
function headOf(kind: Kind): string {
  return `{"kind":"${kind.kind}","apiVersion":"${apiVersionOf(kind)}","metadata":{`;
}

/** The bytes to store. Leaves the object as it is. */
export function encodeForStorage(kind: Kind, object: ApiObject): Buffer {
  const { kind: _kind, apiVersion: _apiVersion, metadata, ...rest } = object;
  const { selfLink: _selfLink, resourceVersion: _resourceVersion, ...kept } = metadata;
  return Buffer.from(JSON.stringify({ kind: kind.kind, apiVersion: apiVersionOf(kind), metadata: kept, ...rest }));
}

/** Where an object comes from, when it is not its own path: `/status` answers carry it in their selfLink. */
export interface EncodeOptions {
  readonly linkSuffix?: string;
}

/** An object as this version's clients get it. */
export function encodeObject(stored: StoredObject, served: ServedVersion, options: EncodeOptions = {}): Buffer {
  const entry = { key: stored.key, value: stored.bytes, revision: stored.revision };
  const { parts, length } = new Writer(served).object(entry, options.linkSuffix);
  return Buffer.concat(parts, length);
}

/** An object as this version's clients get it, as a value to change or to look at. */
export function presentObject(stored: StoredObject, served: ServedVersion, options: EncodeOptions = {}): ApiObject {
  return JSON.parse(encodeObject(stored, served, options).toString('utf8')) as ApiObject;
}

/** What a list says about itself, in whatever form its objects are sent. */
export function listMetadata(list: ObjectList): ListMeta {
  return {
    selfLink: selfLink(list.served, list.namespace),
    resourceVersion: String(list.revision),
    continue: list.continue,
    remainingItemCount: list.remaining || undefined,
  };
}

/** A list answer, in one buffer. */
export function encodeList(list: ObjectList): Buffer {
  const { served } = list;
  const metadata = listMetadata(list);
  const head = JSON.stringify({ kind: `${served.kind.kind}List`, apiVersion: served.apiVersion, metadata });
  const writer = new Writer(served);
  writer.raw(`${head.slice(0, -1)},"items":[`);
  list.entries.forEach((entry, i) => {
    if (i > 0) writer.raw(comma);
    writer.object(entry);
  });
  writer.raw(']}');
  return Buffer.concat(writer.parts, writer.length);
}

export type WatchEventType = 'ADDED' | 'MODIFIED' | 'DELETED' | 'BOOKMARK' | 'ERROR';

/** One line of a watch stream, newline included. */
export function encodeWatchEvent(type: WatchEventType, entry: Entry, served: ServedVersion): Buffer {
  const writer = new Writer(served);
  writer.raw(`{"type":"${type}","object":`);
  writer.object(entry);
  writer.raw('}\n');
  return Buffer.concat(writer.parts, writer.length);
}

/** A line that carries a value of its own: a Status, or a bookmark's bare object. */
export function encodeWatchNote(type: WatchEventType, value: object): Buffer {
  return Buffer.from(`{"type":"${type}","object":${JSON.stringify(value)}}\n`);
}

const comma = Buffer.from(',');

/** Collects pieces of an answer; stored bytes are referred to, not copied, until all is put together. */
class Writer {
  readonly parts: Buffer[] = [];
  length = 0;
  readonly #served: ServedVersion;
  readonly #head: string;

  constructor(served: ServedVersion) {
    this.#served = served;
    this.#head = headOf(served.kind);
  }

  raw(text: string | Buffer): void {
    const bytes = typeof text === 'string' ? Buffer.from(text) : text;
    this.parts.push(bytes);
    this.length += bytes.length;
  }

  object(entry: Entry, linkSuffix = ''): this {
    const { namespace, name } = parseKey(this.#served.kind, entry.key);
    const link = selfLink(this.#served, namespace, name) + linkSuffix;
    const version = entry.revision > 0 ? `"resourceVersion":"${entry.revision}",` : '';
    if (this.#served.conversion || !startsWith(entry.value, this.#head)) {
      this.raw(convert(entry, this.#served, link));
    } else {
      this.raw(`${this.#head}"selfLink":"${link}",${version}`);
      this.raw(entry.value.subarray(this.#head.length));
    }
    return this;
  }
}

/** For other versions, and for bytes that another program wrote in another order. */
function convert(entry: Entry, served: ServedVersion, link: string): string {
  const stored = JSON.parse(entry.value.toString('utf8')) as ApiObject;
  const object = served.conversion ? served.conversion.fromStored(stored) : stored;
  const resourceVersion = entry.revision > 0 ? String(entry.revision) : undefined;
  const { kind, apiVersion, metadata, ...rest } = object;
  return JSON.stringify({ kind, apiVersion, metadata: { ...metadata, selfLink: link, resourceVersion }, ...rest });
}

function startsWith(bytes: Buffer, head: string): boolean {
  return bytes.toString('latin1', 0, head.length) === head;
}
