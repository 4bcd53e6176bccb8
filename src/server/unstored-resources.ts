import { apiVersionOf } from '../kinds/kind.ts';
import { isQuestion, type AnsweredKind } from '../registry/answered-kind.ts';

/** A resource or sub-resource that discovery lists beside what the stored kinds give by themselves. */
export interface UnstoredResource {
  /** Where it is served: `v1`, or `extensions/v1beta1`. */
  readonly apiVersion: string;
  /** `bindings`, or `pods/log`. */
  readonly name: string;
  /** The kind that is sent or answered. */
  readonly kind: string;
  readonly namespaced: boolean;
  readonly verbs: readonly string[];
  readonly singular?: string;
  /** Group and version of the kind, where they are not those it is served under. */
  readonly group?: string;
  readonly version?: string;
}

const core = { apiVersion: 'v1', namespaced: true };
const extensions = { apiVersion: 'extensions/v1beta1', namespaced: true };
const connect = ['create', 'get'];
const proxy = ['create', 'delete', 'get', 'patch', 'update'];

/** What is served without being a stored kind, its status or its scale. */
export const unstoredResources: readonly UnstoredResource[] = [
  { ...core, name: 'bindings', kind: 'Binding', verbs: ['create'], singular: 'binding' },
  { ...core, name: 'namespaces/finalize', kind: 'Namespace', namespaced: false, verbs: ['update'] },
  { ...core, name: 'nodes/proxy', kind: 'Node', namespaced: false, verbs: proxy },
  { ...core, name: 'pods/attach', kind: 'Pod', verbs: connect },
  { ...core, name: 'pods/binding', kind: 'Binding', verbs: ['create'] },
  { ...core, name: 'pods/exec', kind: 'Pod', verbs: connect },
  { ...core, name: 'pods/log', kind: 'Pod', verbs: ['get'] },
  { ...core, name: 'pods/portforward', kind: 'Pod', verbs: connect },
  { ...core, name: 'pods/proxy', kind: 'Pod', verbs: proxy },
  { ...core, name: 'services/proxy', kind: 'Service', verbs: proxy },
  { ...extensions, name: 'deployments/rollback', kind: 'DeploymentRollback', verbs: ['create'] },
  { ...extensions, name: 'replicationcontrollers/scale', kind: 'Scale', verbs: ['get', 'patch', 'update'] },
];

/** As discovery lists a kind that is answered and not stored. */
export function answeredResource(answeredKind: AnsweredKind): UnstoredResource {
  const { kind } = answeredKind;
  const parent = isQuestion(answeredKind) ? answeredKind.parent : undefined;
  const { group, version, singular } = kind;
  const answered = { kind: kind.kind, namespaced: kind.namespaced, verbs: kind.verbs };
  if (!parent) return { ...answered, apiVersion: apiVersionOf(kind), name: kind.resource, singular };
  const name = `${parent.kind.resource}/${parent.subresource}`;
  return { ...answered, apiVersion: apiVersionOf(parent.kind), name, group, version };
}
