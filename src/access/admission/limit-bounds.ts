import type { LimitRange, LimitRangeItem } from '../../kinds/core/limit-range.ts';
import type { PodSpec } from '../../kinds/core/pod/pod-spec.ts';
import { add, readAmounts, type Amounts } from '../../kinds/core/quota/amounts.ts';
import { formatQuantity, nanosOf, type Quantity } from '../../schema/quantity.ts';

/** Who is measured: one container, or the pod as the sum of its containers. */
interface Asker {
  readonly name: string;
  readonly requests: Amounts;
  readonly limits: Amounts;
}

/** Every bound of a limit range that a pod breaks, in words. */
export function brokenBounds(spec: PodSpec, range: LimitRange): string[] {
  const items = range.spec?.limits ?? [];
  const broken = items.flatMap((item) => askersOf(item.type, spec).flatMap((asker) => brokenBy(asker, item)));
  return broken.map((why) => `${why} (limit range "${range.metadata.name}")`);
}

function askersOf(type: string | undefined, spec: PodSpec): Asker[] {
  const containers = (spec.containers ?? []).map(({ name, resources }) => ({
    name: `container "${name}"`,
    requests: readAmounts(resources?.requests),
    limits: readAmounts(resources?.limits),
  }));
  if (type === 'Container') return containers;
  if (type !== 'Pod') return [];
  const requests = totals(containers.map((container) => container.requests));
  const limits = totals(containers.map((container) => container.limits));
  return [{ name: 'the pod', requests, limits }];
}

/** A sum is known only of what every container states. */
function totals(parts: readonly Amounts[]): Amounts {
  const [first, ...rest] = parts;
  const sums = new Map(first);
  for (const part of rest) {
    for (const [name, sum] of sums) {
      const amount = part.get(name);
      if (amount) sums.set(name, add(sum, amount));
      else sums.delete(name);
    }
  }
  return sums;
}

function brokenBy(asker: Asker, item: LimitRangeItem): string[] {
  return [
    ...Object.entries(item.min ?? {}).flatMap(([name, min]) => belowMin(asker, name, min)),
    ...Object.entries(item.max ?? {}).flatMap(([name, max]) => aboveMax(asker, name, max)),
    ...Object.entries(item.maxLimitRequestRatio ?? {}).flatMap(([name, ratio]) => aboveRatio(asker, name, ratio)),
  ];
}

function belowMin(asker: Asker, name: string, min: string): string[] {
  const [request, limit] = [asker.requests.get(name), asker.limits.get(name)];
  if (!request) return [`${asker.name} must request ${name}, at least ${min}`];
  const broken: string[] = [];
  if (request.nanos < nanosOf(min)) broken.push(outside(asker, `requests ${name}`, request, `at least ${min}`));
  if (limit && limit.nanos < nanosOf(min)) broken.push(outside(asker, `limits ${name} to`, limit, `at least ${min}`));
  return broken;
}

function aboveMax(asker: Asker, name: string, max: string): string[] {
  const [request, limit] = [asker.requests.get(name), asker.limits.get(name)];
  if (!limit) return [`${asker.name} must have a limit for ${name}, at most ${max}`];
  const broken: string[] = [];
  if (limit.nanos > nanosOf(max)) broken.push(outside(asker, `limits ${name} to`, limit, `at most ${max}`));
  if (request && request.nanos > nanosOf(max))
    broken.push(outside(asker, `requests ${name}`, request, `at most ${max}`));
  return broken;
}

function aboveRatio(asker: Asker, name: string, ratio: string): string[] {
  const [request, limit] = [asker.requests.get(name), asker.limits.get(name)];
  if (!request?.nanos || !limit?.nanos) {
    return [
      `${asker.name} must have a request and a limit for ${name} that are not zero, at most ${ratio} times apart`,
    ];
  }
  if (limit.nanos * 1_000_000_000n <= request.nanos * nanosOf(ratio)) return [];
  const times = `${name} is limited to ${formatQuantity(limit)} and requested with ${formatQuantity(request)}`;
  return [`${asker.name}: ${times}, which may be at most ${ratio} times apart`];
}

function outside(asker: Asker, verb: string, amount: Quantity, bound: string): string {
  return `${asker.name} ${verb} ${formatQuantity(amount)}, which must be ${bound}`;
}
