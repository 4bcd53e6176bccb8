import { deployment as deploymentKind } from '../../kinds/extensions/deployment.ts';
import { replicaSet as replicaSetKind } from '../../kinds/extensions/replica-set.ts';
import { pod as podKind } from '../../kinds/core/pod.ts';
import type { Controller } from '../loop/controller.ts';
import { changesMapped, changesOf } from '../loop/key-source.ts';
import { DeploymentSync } from './deployment-sync.ts';

/** Moves deployments from one template to the next: one replica set for each, scaled step by step. */
export const deployments: Controller = {
  name: 'deployment-controller',
  start(context) {
    const owners = context.informers.of(deploymentKind);
    const sets = context.informers.of(replicaSetKind);
    const pods = context.informers.of(podKind);
    const sync = new DeploymentSync({ context, owners, sets, pods });
    return {
      sources: [
        changesOf(owners),
        changesMapped(sets, (set) => sync.ownersOfSet(set)),
        changesMapped(pods, (pod) => sync.ownersOfPod(pod)),
      ],
      reconcile: (key) => sync.reconcile(key),
    };
  },
};
