import type { Kind } from '../kinds/kind.ts';
import type { ApiObject } from '../kinds/meta/object-meta.ts';
import { sortKeys } from '../storage/keys.ts';
import type { Storage, StorageEvent, StorageWatch } from '../storage/storage.ts';
import { collectionPrefix } from './address.ts';
import type { EventCache } from './event-cache.ts';
import { matchable, type Matchable } from './matchable.ts';
import type { Selection } from './selectors/selection.ts';

/**
 * Labels and selectable fields of all objects of one kind, so that a list by selector reads only what it answers with. Made when the kind is first
 * selected from, then kept up by a watch, which storage serves before it answers the writer: a write that was answered is in here.
 */
class SelectorIndex {
  readonly #kind: Kind;
  readonly #events: EventCache;
  readonly #objects = new Map<string, Matchable>();
  /** Keys by `label=value` and by `field\0value`. */
  readonly #postings = new Map<string, Set<string>>();
  #revision = 0;

  constructor(kind: Kind, events: EventCache) {
    this.#kind = kind;
    this.#events = events;
  }

  /** Revision of the last change that is in here. */
  get revision(): number {
    return this.#revision;
  }

  /** Reads what is there and follows changes; `onEnd` is called when it can no longer follow. */
  async follow(storage: Storage, onEnd: () => void): Promise<StorageWatch> {
    const prefix = collectionPrefix(this.#kind);
    const { entries, revision } = await storage.list(prefix);
    for (const entry of entries) this.#set(entry.key, JSON.parse(entry.value.toString('utf8')) as ApiObject);
    this.#revision = revision;
    return storage.watch(prefix, revision, { onEvents: (events) => this.#apply(events), onEnd });
  }

  /** Keys of a namespace, or of all, that match, in order. */
  keys(namespace: string | undefined, selection: Selection): string[] {
    const prefix = collectionPrefix(this.#kind, namespace);
    const keys: string[] = [];
    for (const key of this.#candidates(namespace, selection)) {
      if (key.startsWith(prefix) && this.#matches(key, selection)) keys.push(key);
    }
    return sortKeys(keys);
  }

  /** Those of these keys that match. */
  keysOf(keys: readonly string[], selection: Selection): string[] {
    return keys.filter((key) => this.#matches(key, selection));
  }

  #matches(key: string, selection: Selection): boolean {
    const object = this.#objects.get(key);
    return object !== undefined && selection.matches(object);
  }

  /** The smallest set of keys that holds all that can match. */
  #candidates(namespace: string | undefined, selection: Selection): Iterable<string> {
    let best: ReadonlySet<string> | undefined;
    for (const term of termsWanted(namespace, selection)) {
      const posting = this.#postings.get(term) ?? nothing;
      if (!best || posting.size < best.size) best = posting;
    }
    return best ?? this.#objects.keys();
  }

  #apply(events: readonly StorageEvent[]): void {
    for (const event of events) {
      if (event.type === 'deleted') this.#delete(event.key);
      else this.#set(event.key, this.#events.of(this.#kind, event).object);
      this.#revision = event.revision;
    }
  }

  #set(key: string, object: ApiObject): void {
    this.#delete(key);
    const terms = matchable(this.#kind, object);
    this.#objects.set(key, terms);
    for (const term of termsOf(terms)) {
      let posting = this.#postings.get(term);
      if (!posting) this.#postings.set(term, (posting = new Set<string>()));
      posting.add(key);
    }
  }

  #delete(key: string): void {
    const known = this.#objects.get(key);
    if (!known) return;
    this.#objects.delete(key);
    for (const term of termsOf(known)) {
      const posting = this.#postings.get(term);
      posting?.delete(key);
      if (posting?.size === 0) this.#postings.delete(term);
    }
  }
}

const nothing: ReadonlySet<string> = new Set();

function labelTerm(label: string, value: string): string {
  return `${label}=${value}`;
}

function fieldTerm(field: string, value: string): string {
  return `${field}\0${value}`;
}

/** Terms that everything has which a selection matches. */
function* termsWanted(namespace: string | undefined, { labels, fields }: Selection): Iterable<string> {
  if (namespace) yield fieldTerm('metadata.namespace', namespace);
  for (const [label, values] of labels.exact) if (values.length === 1) yield labelTerm(label, values[0]!);
  for (const [field, value] of fields.exact) if (field !== 'metadata.name') yield fieldTerm(field, value);
}

/** Names are unique: a posting for each would only cost. */
function* termsOf({ labels, fields }: Matchable): Iterable<string> {
  for (const label in labels) yield labelTerm(label, labels[label]!);
  for (const field in fields) if (field !== 'metadata.name') yield fieldTerm(field, fields[field]!);
}

interface Following {
  readonly index: Promise<SelectorIndex>;
  close(): void;
}

/** The indexes of a registry, one for each kind that was selected from. */
export class SelectorIndexes {
  readonly #storage: Storage;
  readonly #events: EventCache;
  readonly #following = new Map<Kind, Following>();

  constructor(storage: Storage, events: EventCache) {
    this.#storage = storage;
    this.#events = events;
  }

  of(kind: Kind): Promise<SelectorIndex> {
    let following = this.#following.get(kind);
    if (!following) this.#following.set(kind, (following = this.#follow(kind)));
    return following.index;
  }

  close(): void {
    for (const following of this.#following.values()) following.close();
    this.#following.clear();
  }

  #follow(kind: Kind): Following {
    const index = new SelectorIndex(kind, this.#events);
    // Forgotten when it cannot follow (or could not start), so that the next request starts anew.
    const forget = (): void => void this.#following.delete(kind);
    const watch = index.follow(this.#storage, forget);
    watch.catch(forget);
    return {
      index: watch.then(() => index),
      close: () => void watch.then((started) => started.close()).catch(forget),
    };
  }
}
