import type { ApiObject } from '../kinds/meta/object-meta.ts';
import type { ObjectReference } from '../kinds/core/object-reference.ts';

export type EventType = 'Normal' | 'Warning';

/** Tells people what happens to objects, as Event objects. Best effort: it never throws and never makes the caller wait. */
export interface EventRecorder {
  /** `about` is an object, or a reference to one or to a part of one. */
  record(about: ApiObject | ObjectReference, type: EventType, reason: string, message: string): void;
  /** The same recorder under the name of another component, for those whose events appear under several. */
  as(component: string): Pick<EventRecorder, 'record'>;
  /** Resolves when all that was recorded so far is written or given up. */
  settled(): Promise<void>;
}
