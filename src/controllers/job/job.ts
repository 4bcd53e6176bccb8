import { pod as podKind } from '../../kinds/core/pod.ts';
import { job as jobKind } from '../../kinds/extensions/job.ts';
import type { Controller } from '../loop/controller.ts';
import { changesMapped, changesOf } from '../loop/key-source.ts';
import { JobSync } from './job-sync.ts';

/** Runs the pods of jobs until enough of them have succeeded. */
export const jobs: Controller = {
  name: 'job-controller',
  start(context) {
    const owners = context.informers.of(jobKind);
    const pods = context.informers.of(podKind);
    const sync = new JobSync({ context, owners, pods });
    return {
      sources: [changesOf(owners), changesMapped(pods, (pod) => sync.ownersOf(pod))],
      reconcile: (key) => sync.reconcile(key),
    };
  },
};
