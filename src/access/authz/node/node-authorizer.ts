import type { Storage } from '../../../storage/storage.ts';
import { notAllowed, type Authorizer } from '../authorizer.ts';
import { FollowedState } from '../followed-state.ts';
import { isReading, resourceOf, type RequestAction } from '../request-action.ts';
import { nodeNameOf } from './node-name.ts';
import { NodePods, type FollowedPods } from './node-pods.ts';
import { isDriverSecret, isUsedVolume } from './volume-use.ts';

/** Whether the agent of a node may do something with one kind of resource. */
type Check = (node: string, action: RequestAction) => boolean | Promise<boolean>;

/**
 * Allows the agent of a node what it needs to run the pods on it, and no more: its own node, the pods bound to it, and what these use. What it may
 * write into a new node or pod is looked at when it is written.
 */
export function nodeAuthorizer(storage: Storage): Authorizer {
  const checks = nodeChecks(storage);
  return {
    async authorize(user, action) {
      const node = nodeNameOf(user);
      const check = node && action.resource !== undefined ? checks.get(groupedResource(action)) : undefined;
      if (!node || !check || !(await check(node, action))) return notAllowed;
      return { allowed: true, reason: `the agent of node ${JSON.stringify(node)} needs it` };
    },
    rightsOf: (user) => ({
      rules: [],
      incomplete: nodeNameOf(user) && 'what the agent of a node may do depends on the pods that are on it',
    }),
  };
}

/** `pods`, `pods/status`, or `authentication.k8s.io/tokenreviews`. */
function groupedResource(action: RequestAction): string {
  return action.group ? `${action.group}/${resourceOf(action)}` : resourceOf(action);
}

function nodeChecks(storage: Storage): ReadonlyMap<string, Check> {
  const pods = new FollowedState(storage, () => new NodePods());
  const ownPod = onOwnPods(pods);
  const own = onOwnNode();
  return new Map<string, Check>([
    ['nodes', (node, action) => action.verb === 'create' || own(node, action)],
    ['nodes/status', own],
    ['pods', (node, action) => action.verb === 'create' || ownPod(node, action)],
    ['pods/status', ownPod],
    ['secrets', readingUsed(pods, 'secrets', (node, action) => isDriverSecret(storage, pods, node, action))],
    ['configmaps', readingUsed(pods, 'configmaps')],
    ['persistentvolumeclaims', readingUsed(pods, 'persistentvolumeclaims')],
    ['persistentvolumes', (node, action) => isReading(action) && isUsedVolume(storage, pods, node, action)],
    ['serviceaccounts', readingUsed(pods, 'serviceaccounts')],
    [
      'serviceaccounts/token',
      (node, action) => action.verb === 'create' && isUsed(pods, 'serviceaccounts', node, action),
    ],
    ['services', (_node, action) => isReading(action)],
    ['endpoints', (_node, action) => isReading(action)],
    ['events', (_node, { verb }) => verb === 'create' || verb === 'patch' || verb === 'update'],
    ['authentication.k8s.io/tokenreviews', (_node, { verb }) => verb === 'create'],
    ['authorization.k8s.io/subjectaccessreviews', (_node, { verb }) => verb === 'create'],
  ]);
}

type Used = 'secrets' | 'configmaps' | 'persistentvolumeclaims' | 'serviceaccounts';

const objectVerbs: ReadonlySet<string> = new Set(['get', 'list', 'watch', 'update', 'patch', 'delete']);

/** A list of nodes counts where it can hold no other. */
function onOwnNode(): (node: string, action: RequestAction) => boolean {
  return (node, { verb, name }) => objectVerbs.has(verb) && name === node;
}

/** A pod that is gone may be asked for: that it is gone is what its node is to learn. */
function onOwnPods(pods: FollowedPods): Check {
  return async (node, { verb, namespace, name, subresource, fields }) => {
    if (!objectVerbs.has(verb)) return false;
    if (fields?.get('spec.nodeName') === node && (verb === 'list' || verb === 'watch')) return true;
    if (name === undefined || namespace === undefined) return false;
    // Of a pod itself only its status is for the node to change.
    if (subresource === undefined && (verb === 'update' || verb === 'patch')) return false;
    const found = (await pods.get()).nodeOf(namespace, name);
    return found === node || (found === undefined && verb !== 'list' && verb !== 'watch');
  };
}

function readingUsed(pods: FollowedPods, resource: Used, otherwise: Check = () => false): Check {
  return async (node, action) =>
    isReading(action) && ((await isUsed(pods, resource, node, action)) || otherwise(node, action));
}

async function isUsed(pods: FollowedPods, resource: Used, node: string, action: RequestAction): Promise<boolean> {
  const { namespace, name } = action;
  if (namespace === undefined || name === undefined) return false;
  return (await pods.get()).uses(node, namespace, `${resource}/${name}`);
}
