import type { PolicyRule } from '../../../kinds/rbac/policy-rule.ts';
import { on, reading, writing } from './rule-words.ts';

const events = on([''], ['events'], ['create', 'patch', 'update']);
/** How components that run more than once agree on which of them works. */
const election = on([''], ['configmaps', 'endpoints'], ['create', 'get', 'list', 'patch', 'update', 'watch']);
const reviews = [
  on(['authentication.k8s.io'], ['tokenreviews'], ['create']),
  on(['authorization.k8s.io'], ['subjectaccessreviews'], ['create']),
];
const workloadGroups = ['apps', 'autoscaling', 'batch', 'extensions'];

/** Controllers read and remove everything, since namespaces and owners are emptied of whatever they hold; they write what they keep up. */
export const controllerManagerRules: readonly PolicyRule[] = [
  on(['*'], ['*'], [...reading, 'delete', 'deletecollection']),
  on(
    [''],
    ['endpoints', 'pods', 'podtemplates', 'replicationcontrollers', 'secrets', 'serviceaccounts', 'services'],
    writing,
  ),
  on([''], ['namespaces', 'nodes', 'persistentvolumeclaims', 'persistentvolumes', 'resourcequotas'], writing),
  on(workloadGroups, ['*'], writing),
  on(['*'], ['*/status', '*/scale'], [...reading, 'patch', 'update']),
  on([''], ['namespaces/finalize'], ['update']),
  on([''], ['serviceaccounts/token'], ['create']),
  events,
  election,
  ...reviews,
  { verbs: ['get'], nonResourceURLs: ['/api', '/api/*', '/apis', '/apis/*', '/version'] },
];

export const schedulerRules: readonly PolicyRule[] = [
  on([''], ['nodes', 'pods', 'services', 'replicationcontrollers'], reading),
  on([''], ['persistentvolumeclaims', 'persistentvolumes', 'namespaces'], reading),
  on(['apps', 'extensions'], ['replicasets'], reading),
  on([''], ['pods'], ['delete']),
  on([''], ['bindings', 'pods/binding'], ['create']),
  on([''], ['pods/status'], ['patch', 'update']),
  events,
  election,
  ...reviews,
];

export const dnsRules: readonly PolicyRule[] = [on([''], ['endpoints', 'services'], ['list', 'watch'])];

/** What any node's agent may do; which nodes, pods and secrets it may touch is for the Node authorizer to say. */
export const nodeRules: readonly PolicyRule[] = [
  on([''], ['endpoints', 'nodes', 'persistentvolumeclaims', 'persistentvolumes', 'pods', 'services'], reading),
  on([''], ['configmaps', 'secrets'], reading),
  on([''], ['nodes'], ['create', 'delete', 'patch', 'update']),
  on([''], ['nodes/status'], ['patch', 'update']),
  on([''], ['pods'], ['create', 'delete']),
  on([''], ['pods/status'], ['patch', 'update']),
  on([''], ['serviceaccounts/token'], ['create']),
  events,
  ...reviews,
];

export const proxierRules: readonly PolicyRule[] = [
  on([''], ['endpoints', 'services'], ['list', 'watch']),
  on([''], ['nodes'], ['get', 'list', 'watch']),
  events,
];
