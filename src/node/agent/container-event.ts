import type { EventType } from '../../client/event-recorder.ts';
import type { ObjectReference } from '../../kinds/core/object-reference.ts';
import type { Pod } from '../../kinds/core/pod.ts';

/** Tells people what has happened to a container. */
export type TellEvent = (type: EventType, reason: string, message: string) => void;

/** What events about one container of a pod refer to. */
export function containerReference({ metadata }: Pod, container: string): ObjectReference {
  const { namespace, name, uid, resourceVersion } = metadata;
  const fieldPath = `spec.containers{${container}}`;
  return { kind: 'Pod', apiVersion: 'v1', namespace, name, uid, resourceVersion, fieldPath };
}
