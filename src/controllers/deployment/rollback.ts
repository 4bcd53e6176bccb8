import { deployment as deploymentKind } from '../../kinds/extensions/deployment.ts';
import type { ReplicaSet } from '../../kinds/extensions/replica-set.ts';
import type { ControllerContext } from '../loop/controller.ts';
import { restoredAnnotations, revisionOf } from './deployment-annotations.ts';
import { setOfRevision } from './revisions.ts';
import { setsOf, type Rollout } from './rollout.ts';
import { isSameTemplate, withoutTemplateHash } from '../pods/template-hash.ts';

/** Brings back the template of an earlier revision, as the deployment asks for, and takes that wish away, also where it cannot be met. */
export async function rollBack({ client, events }: ControllerContext, rollout: Rollout): Promise<void> {
  const { deployment } = rollout;
  const { rollbackTo, ...spec } = deployment.spec;
  const revision = rollbackTo?.revision ?? 0;
  const sets = setsOf(rollout).map(({ set }) => set);
  const target = setOfRevision(sets, revision);
  const changes = target !== undefined && !isSameTemplate(target.spec.template, spec.template);
  await client.update(deploymentKind, changes ? restored(rollout, target) : { ...deployment, spec });
  if (!target) {
    const which = revision > 0 ? `revision ${revision}` : 'a revision before the last';
    events.record(deployment, 'Warning', 'DeploymentRollbackRevisionNotFound', `Unable to find ${which}`);
  } else if (!changes) {
    const message = `The template of revision ${revisionOf(target)} is the present one`;
    events.record(deployment, 'Warning', 'DeploymentRollbackTemplateUnchanged', message);
  } else {
    const message = `Rolled back deployment "${deployment.metadata.name}" to revision ${revisionOf(target)}`;
    events.record(deployment, 'Normal', 'DeploymentRollback', message);
  }
}

function restored({ deployment }: Rollout, set: ReplicaSet): Rollout['deployment'] {
  const { rollbackTo: _done, ...spec } = deployment.spec;
  return {
    ...deployment,
    metadata: { ...deployment.metadata, annotations: restoredAnnotations(deployment, set) },
    spec: { ...spec, template: withoutTemplateHash(set.spec.template) },
  };
}
