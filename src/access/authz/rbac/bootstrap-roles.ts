import { metricsGroup } from '../../../kinds/metrics/metrics-group.ts';
import type { ClusterRole } from '../../../kinds/rbac/cluster-role.ts';
import type { PolicyRule } from '../../../kinds/rbac/policy-rule.ts';
import { rbacApiVersion, rbacGroup } from '../../../kinds/rbac/rbac-group.ts';
import { everything } from '../always-allow.ts';
import { controllerManagerRules, dnsRules, nodeRules, proxierRules, schedulerRules } from './component-rules.ts';
import { bootstrapMetadata } from './bootstrap-metadata.ts';
import { on, reading, writing } from './rule-words.ts';

const publicPaths = ['/healthz', '/livez', '/readyz', '/version', '/version/'];
const documents = ['/openapi', '/openapi/*', '/swagger.json', '/swaggerapi', '/swaggerapi/*'];
const discoveryPaths = ['/api', '/api/*', '/apis', '/apis/*', ...documents, ...publicPaths];

const workloads = ['daemonsets', 'deployments', 'deployments/scale', 'ingresses', 'jobs', 'replicasets'];
const scaled = ['replicasets/scale', 'replicationcontrollers/scale', 'horizontalpodautoscalers'];
const workloadGroups = ['apps', 'autoscaling', 'batch', 'extensions'];
const containers = ['pods', 'podtemplates', 'replicationcontrollers', 'replicationcontrollers/scale', 'services'];
const coreObjects = [...containers, 'configmaps', 'persistentvolumeclaims', 'serviceaccounts'];
const limits = [
  'endpoints',
  'limitranges',
  'resourcequotas',
  'resourcequotas/status',
  'namespaces',
  'namespaces/status',
  'events',
];
const states = ['persistentvolumeclaims/status', 'pods/log', 'pods/status', 'replicationcontrollers/status'];
const workloadStates = ['daemonsets', 'deployments', 'ingresses', 'jobs', 'replicasets'].map(
  (each) => `${each}/status`,
);
const connections = ['pods/attach', 'pods/exec', 'pods/portforward', 'pods/proxy', 'services/proxy'];

const viewRules: readonly PolicyRule[] = [
  on([''], [...coreObjects, ...limits, ...states, 'bindings'], reading),
  on(workloadGroups, [...workloads, ...scaled, ...workloadStates, 'horizontalpodautoscalers/status'], reading),
];

const editRules: readonly PolicyRule[] = [
  on([''], [...connections, 'secrets'], reading),
  on([''], [...coreObjects, ...connections, 'secrets'], writing),
  on([''], ['events', 'pods/eviction'], ['create']),
  on([''], ['pods', 'services'], ['proxy']),
  on([''], ['serviceaccounts'], ['impersonate']),
  on([''], ['serviceaccounts/token'], ['create']),
  on(workloadGroups, [...workloads, ...scaled, 'deployments/rollback'], writing),
];

const adminRules: readonly PolicyRule[] = [
  on(['authorization.k8s.io'], ['localsubjectaccessreviews'], ['create']),
  on([rbacGroup], ['rolebindings', 'roles'], [...reading, ...writing]),
];

const reviews = [
  on(['authentication.k8s.io'], ['tokenreviews'], ['create']),
  on(['authorization.k8s.io'], ['subjectaccessreviews'], ['create']),
];

const selfReviews = [
  on(['authorization.k8s.io'], ['selfsubjectaccessreviews', 'selfsubjectrulesreviews'], ['create']),
  on(['authentication.k8s.io'], ['selfsubjectreviews'], ['create']),
];

function define(name: string, rules: readonly PolicyRule[], labels: Record<string, string> = {}): ClusterRole {
  const metadata = bootstrapMetadata(name, labels);
  return { kind: 'ClusterRole', apiVersion: rbacApiVersion, metadata, rules: [...rules] };
}

function label(name: string): Record<string, string> {
  return { [`${rbacGroup}/aggregate-to-${name}`]: 'true' };
}

/** A role for users, made of all roles that carry its label. */
function aggregate(name: string, labels: Record<string, string> = {}): ClusterRole {
  return { ...define(name, [], labels), aggregationRule: { clusterRoleSelectors: [{ matchLabels: label(name) }] } };
}

/** The roles that every cluster has. Those that are made of others come after them. */
export function bootstrapRoles(): readonly ClusterRole[] {
  return [
    define('cluster-admin', everything),
    define('system:discovery', [{ verbs: ['get'], nonResourceURLs: discoveryPaths }]),
    define('system:public-info-viewer', [{ verbs: ['get'], nonResourceURLs: publicPaths }]),
    define('system:basic-user', selfReviews),
    define('system:auth-delegator', reviews),
    define('system:monitoring', [{ verbs: ['get'], nonResourceURLs: ['/metrics', '/metrics/*', ...publicPaths] }]),
    define('system:kube-controller-manager', controllerManagerRules),
    define('system:kube-scheduler', schedulerRules),
    define('system:kube-dns', dnsRules),
    define('system:node', nodeRules),
    define('system:node-proxier', proxierRules),
    define('system:kubelet-api-admin', [on([''], ['nodes'], ['proxy', ...reading]), on([''], ['nodes/proxy'], ['*'])]),
    define('system:aggregate-to-view', viewRules, label('view')),
    define('system:aggregated-metrics-reader', [on([metricsGroup], ['nodes', 'pods'], reading)], label('view')),
    define('system:aggregate-to-edit', editRules, label('edit')),
    define('system:aggregate-to-admin', adminRules, label('admin')),
    aggregate('view', label('edit')),
    aggregate('edit', label('admin')),
    aggregate('admin'),
  ];
}
