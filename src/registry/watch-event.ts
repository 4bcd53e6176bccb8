import type { Kind } from '../kinds/kind.ts';
import type { ApiObject } from '../kinds/meta/object-meta.ts';
import type { Entry, StorageEvent } from '../storage/storage.ts';
import type { EventView } from './event-view.ts';
import { matchable } from './matchable.ts';
import type { Selection } from './selectors/selection.ts';

export type ChangeType = 'ADDED' | 'MODIFIED' | 'DELETED';

/** A change of one object, shared by all who watch it: what costs something is done once, when the first of them needs it. */
export class ObjectEvent {
  readonly kind: Kind;
  readonly revision: number;
  readonly key: string;
  readonly #now: Entry | undefined;
  readonly #before: Entry | undefined;
  #objectNow: ApiObject | undefined;
  #objectBefore: ApiObject | undefined;
  readonly #lines = new Map<EventView, Map<ChangeType, Buffer>>();

  constructor(kind: Kind, event: StorageEvent) {
    this.kind = kind;
    this.key = event.key;
    this.revision = event.revision;
    this.#now = event.type === 'deleted' ? undefined : event;
    this.#before = event.type === 'created' ? undefined : event.previous;
  }

  /** How long the object is as it is stored, before and after the change together. */
  get storedBytes(): number {
    return (this.#now?.value.length ?? 0) + (this.#before?.value.length ?? 0);
  }

  /** What the change is to someone who sees only what is selected; nothing when it does not concern them. */
  typeFor(selection: Selection): ChangeType | undefined {
    const before = this.#before !== undefined && (selection.isEverything || selection.matches(this.#matchableBefore()));
    const now = this.#now !== undefined && (selection.isEverything || selection.matches(this.#matchableNow()));
    if (now) return before ? 'MODIFIED' : 'ADDED';
    return before ? 'DELETED' : undefined;
  }

  /** The object after the change, or as it was last when it is gone. */
  get object(): Readonly<ApiObject> {
    return this.#now ? this.#decodeNow() : this.#decodeBefore();
  }

  /** The line of a watch stream that tells of it. */
  line(type: ChangeType, view: EventView): Buffer {
    let lines = this.#lines.get(view);
    if (!lines) this.#lines.set(view, (lines = new Map<ChangeType, Buffer>()));
    let line = lines.get(type);
    if (!line) lines.set(type, (line = view.line(type, this.#shown(type))));
    return line;
  }

  /** A deleted object carries the revision of its deletion, so that a client can resume behind it. */
  #shown(type: ChangeType): Entry {
    if (this.#now && !(type === 'DELETED' && leavesAsItWas(this.kind))) return this.#now;
    return { key: this.key, value: this.#before!.value, revision: this.revision };
  }

  #matchableNow(): ReturnType<typeof matchable> {
    return matchable(this.kind, this.#decodeNow());
  }

  #matchableBefore(): ReturnType<typeof matchable> {
    return matchable(this.kind, this.#decodeBefore());
  }

  #decodeNow(): ApiObject {
    this.#objectNow ??= parse(this.#now!);
    return this.#objectNow;
  }

  #decodeBefore(): ApiObject {
    this.#objectBefore ??= parse(this.#before!);
    return this.#objectBefore;
  }
}

/** What goes out of a selection is told as it is now; only what expires by itself is told as it was, as in the reference. */
function leavesAsItWas({ lifetimeSeconds }: Kind): boolean {
  return lifetimeSeconds !== undefined;
}

function parse(entry: Entry): ApiObject {
  return JSON.parse(entry.value.toString('utf8')) as ApiObject;
}
