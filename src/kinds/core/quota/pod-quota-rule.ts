import type { Pod } from '../pod.ts';
import type { Container } from '../pod/container.ts';
import { computeResources } from '../resource-names.ts';
import { addAll, none, one, readAmounts, type Amounts } from './amounts.ts';
import type { QuotaRule } from './quota-rule.ts';

/** Pods count as such and by what their containers ask for. Finished pods use nothing. */
export const podQuotaRule: QuotaRule<Pod> = {
  resources: ['pods', ...computeResources],
  usage(pod) {
    if (pod.status?.phase === 'Succeeded' || pod.status?.phase === 'Failed') return none;
    const usages = containersOf(pod).map(containerUsage);
    return usages.reduce(addAll, new Map([['pods', one]]));
  },
  isInScope,
  unstated(pod, names) {
    const compute = names.filter((name) => computeResources.includes(name));
    const usages = containersOf(pod).map(containerUsage);
    return compute.filter((name) => usages.some((usage) => !usage.has(name)));
  },
};

function containersOf({ spec }: Pod): readonly Container[] {
  return spec.containers ?? [];
}

/** A quota on plain `cpu` or `memory` is one on requests. */
function containerUsage({ resources }: Container): Amounts {
  const [requests, limits] = [readAmounts(resources?.requests), readAmounts(resources?.limits)];
  const sources = { '': requests, 'requests.': requests, 'limits.': limits };
  const usage = new Map(none);
  for (const [prefix, amounts] of Object.entries(sources)) {
    for (const name of ['cpu', 'memory']) {
      const amount = amounts.get(name);
      if (amount) usage.set(prefix + name, amount);
    }
  }
  return usage;
}

function isInScope(pod: Pod, scope: string): boolean {
  switch (scope) {
    case 'Terminating':
      return pod.spec.activeDeadlineSeconds !== undefined;
    case 'NotTerminating':
      return pod.spec.activeDeadlineSeconds === undefined;
    case 'BestEffort':
      return containersOf(pod).some(leavesSomethingOpen);
    case 'NotBestEffort':
      return !containersOf(pod).some(leavesSomethingOpen);
    default:
      return false;
  }
}

/** As in the reference, one resource without a request is enough to be best effort, whatever the others have. */
function leavesSomethingOpen({ resources }: Container): boolean {
  const requests = readAmounts(resources?.requests);
  const names = new Set(['cpu', 'memory', ...requests.keys(), ...Object.keys(resources?.limits ?? {})]);
  return [...names].some((name) => !requests.get(name)?.nanos);
}
