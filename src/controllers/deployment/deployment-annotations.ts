import type { Deployment } from '../../kinds/extensions/deployment.ts';
import type { ReplicaSet } from '../../kinds/extensions/replica-set.ts';
import type { ApiObject } from '../../kinds/meta/object-meta.ts';

/** Counts the templates that a deployment has had; on the deployment, and on each of its replica sets. */
export const revisionAnnotation = 'deployment.kubernetes.io/revision';
/** Revisions that a replica set stood for before it was gone back to, with commas in between. */
const revisionHistoryAnnotation = 'deployment.kubernetes.io/revision-history';
/** On a replica set: how many pods the deployment asked for when the set was last scaled. */
export const desiredReplicasAnnotation = 'deployment.kubernetes.io/desired-replicas';
/** On a replica set: how many pods the deployment could have had at most when the set was last scaled. */
export const maxReplicasAnnotation = 'deployment.kubernetes.io/max-replicas';

/** These belong to the object that they stand on. All others are handed on between a deployment and its replica sets. */
const ownAnnotations: ReadonlySet<string> = new Set([
  'kubectl.kubernetes.io/last-applied-configuration',
  revisionAnnotation,
  revisionHistoryAnnotation,
  desiredReplicasAnnotation,
  maxReplicasAnnotation,
]);

type Annotations = Record<string, string>;

/** 0 where there is none, or none that can be read. */
export function revisionOf({ metadata }: ApiObject): number {
  return numberIn(metadata.annotations, revisionAnnotation) ?? 0;
}

/** Nothing where the annotation is absent or no whole number. */
export function numberIn(annotations: Annotations | undefined, name: string): number | undefined {
  const text = annotations?.[name];
  return text !== undefined && /^\d{1,15}$/.test(text) ? Number(text) : undefined;
}

/** What a deployment's replica set of the present template is to say: what the deployment says, and the revision. */
export function newSetAnnotations(deployment: Deployment, set: ApiObject | undefined, revision: number): Annotations {
  const before = set?.metadata.annotations ?? {};
  const annotations: Annotations = { ...before, ...handedOn(deployment), [revisionAnnotation]: String(revision) };
  const oldRevision = set ? revisionOf(set) : 0;
  if (oldRevision > 0 && oldRevision < revision) {
    const history = before[revisionHistoryAnnotation];
    annotations[revisionHistoryAnnotation] = history ? `${history},${oldRevision}` : String(oldRevision);
  }
  return annotations;
}

/** What a deployment says after it went back to a replica set: what that one says, and what is the deployment's own. */
export function restoredAnnotations({ metadata }: Deployment, set: ReplicaSet): Annotations {
  const own = Object.entries(metadata.annotations ?? {}).filter(([name]) => ownAnnotations.has(name));
  return { ...Object.fromEntries(own), ...handedOn(set) };
}

function handedOn({ metadata }: ApiObject): Annotations {
  return Object.fromEntries(Object.entries(metadata.annotations ?? {}).filter(([name]) => !ownAnnotations.has(name)));
}
