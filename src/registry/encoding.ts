import { apiVersionOf, type Kind } from '../kinds/kind.ts';
import type { ApiObject, ListMeta } from '../kinds/meta/object-meta.ts';
import type { ServedVersion } from '../kinds/served-version.ts';
import type { Entry } from '../storage/storage.ts';
import { parseKey, pathSegment, selfLink } from './address.ts';
import type { ObjectList } from './list.ts';
import { PiecedBytes, textPart, wholePart, type BytePart } from './pieced-bytes.ts';
import type { StoredObject } from './stored-object.ts';

/**
 * Stored bytes begin with kind, apiVersion and metadata, in this order, so that an answer is the stored bytes with resourceVersion and selfLink
 * written in behind the opening of metadata. Nothing is parsed.
 */
interface Head {
  readonly text: string;
  readonly bytes: Buffer;
}

const heads = new WeakMap<Kind, Head>();

function headOf(kind: Kind): Head {
  let head = heads.get(kind);
  if (!head) {
    const text = `{"kind":"${kind.kind}","apiVersion":"${apiVersionOf(kind)}","metadata":{`;
    heads.set(kind, (head = { text, bytes: Buffer.from(text) }));
  }
  return head;
}

/** The bytes to store. Leaves the object as it is. */
export function encodeForStorage(kind: Kind, object: ApiObject): Buffer {
  if (isStorable(kind, object)) return Buffer.from(JSON.stringify(object));
  const { kind: _kind, apiVersion: _apiVersion, metadata, ...rest } = object;
  const { selfLink: _selfLink, resourceVersion: _resourceVersion, ...kept } = metadata;
  return Buffer.from(JSON.stringify({ kind: kind.kind, apiVersion: apiVersionOf(kind), metadata: kept, ...rest }));
}

/** Whether an object is as it is stored already: what is decoded has its fields in order. */
function isStorable(kind: Kind, object: ApiObject): boolean {
  const { metadata } = object;
  if (object.kind !== kind.kind || object.apiVersion !== apiVersionOf(kind)) return false;
  if (metadata.selfLink !== undefined || metadata.resourceVersion !== undefined) return false;
  let place = 0;
  for (const name in object) {
    if (name !== headFields[place]) return false;
    if (++place === headFields.length) return true;
  }
  return false;
}

const headFields = ['kind', 'apiVersion', 'metadata'];

export interface EncodeOptions {
  /** Where an object comes from, when it is not its own path: `/status` answers carry it in their selfLink. */
  readonly linkSuffix?: string;
  /** Whether the bytes outlast the answer. */
  readonly isKept?: boolean;
}

/** An object as this version's clients get it. */
export function encodeObject(stored: StoredObject, served: ServedVersion, options: EncodeOptions = {}): Buffer {
  const entry = { key: stored.key, value: stored.bytes, revision: stored.revision };
  const part = new EntryEncoder(served).part(entry, options.linkSuffix);
  return wholePart(part, options.isKept);
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

/** A list answer. */
export function encodeList(list: ObjectList): PiecedBytes {
  return encodeListParts(list, encodeEntries(list.served, list.entries));
}

/** Objects of a list as they are sent. */
export function encodeEntries(served: ServedVersion, entries: readonly Entry[]): BytePart[] {
  const encoder = new EntryEncoder(served);
  return entries.map((entry) => encoder.part(entry));
}

/** A list answer with objects that are encoded already. */
export function encodeListParts(list: ObjectList, items: readonly BytePart[]): PiecedBytes {
  const { served } = list;
  const metadata = listMetadata(list);
  const head = JSON.stringify({ kind: `${served.kind.kind}List`, apiVersion: served.apiVersion, metadata });
  return new PiecedBytes({ before: `${head.slice(0, -1)},"items":[`, items, after: ']}' });
}

export type WatchEventType = 'ADDED' | 'MODIFIED' | 'DELETED' | 'BOOKMARK' | 'ERROR';

/** One line of a watch stream, newline included. */
export function encodeWatchEvent(type: WatchEventType, entry: Entry, served: ServedVersion): Buffer {
  const items = [new EntryEncoder(served).part(entry)];
  return new PiecedBytes({ before: `{"type":"${type}","object":`, items, after: '}\n' }).whole();
}

/** A line that carries a value of its own: a Status, or a bookmark's bare object. */
export function encodeWatchNote(type: WatchEventType, value: object): Buffer {
  return Buffer.from(`{"type":"${type}","object":${JSON.stringify(value)}}\n`);
}

/** Turns entries into what this version's clients get. */
class EntryEncoder {
  readonly #served: ServedVersion;
  readonly #head: Head;
  /** The namespace of the last entry, and what links to its objects begin with: most lists are of one namespace, and all go through them in order. */
  #namespace: string | undefined;
  #linkStart = '';

  constructor(served: ServedVersion) {
    this.#served = served;
    this.#head = headOf(served.kind);
  }

  part(entry: Entry, linkSuffix = ''): BytePart {
    const link = this.#link(entry.key) + linkSuffix;
    if (this.#served.conversion || !startsWith(entry.value, this.#head.bytes)) {
      return textPart(convert(entry, this.#served, link));
    }
    const version = entry.revision > 0 ? `"resourceVersion":"${entry.revision}",` : '';
    const text = `${this.#head.text}"selfLink":"${link}",${version}`;
    // Everything in it is ASCII.
    return { text, textBytes: text.length, bytes: entry.value, from: this.#head.text.length };
  }

  #link(key: string): string {
    const { namespace, name } = parseKey(this.#served.kind, key);
    if (namespace !== this.#namespace) {
      this.#namespace = namespace;
      this.#linkStart = `${selfLink(this.#served, namespace)}/`;
    }
    return this.#linkStart + pathSegment(name);
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

/** A loop, because it runs for every object that is read and takes a fraction of the time of a call into the runtime. */
function startsWith(bytes: Uint8Array, head: Uint8Array): boolean {
  for (let i = 0; i < head.length; i++) if (bytes[i] !== head[i]) return false;
  return true;
}
