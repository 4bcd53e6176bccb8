import type { ObjectReference } from '../../kinds/core/object-reference.ts';

/** What events about a node refer to. Tools look for them under the node's name, as its uid too. */
export function nodeReference(name: string): ObjectReference {
  return { kind: 'Node', name, uid: name };
}
