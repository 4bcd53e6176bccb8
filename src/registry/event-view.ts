import type { Entry } from '../storage/storage.ts';
import type { WatchEventType } from './encoding.ts';

/** How watchers are told of objects. Those with the same view, told by identity, share the lines that are made for it. */
export interface EventView {
  /** One line of a watch stream, newline included. */
  line(type: WatchEventType, entry: Entry): Buffer;
}
