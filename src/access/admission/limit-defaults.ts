import type { LimitRange } from '../../kinds/core/limit-range.ts';
import type { Pod } from '../../kinds/core/pod.ts';
import type { Container } from '../../kinds/core/pod/container.ts';

/** Says which amounts the pod did not ask for itself. */
export const limitRangerAnnotation = 'kubernetes.io/limit-ranger';

interface Defaults {
  readonly limits: Readonly<Record<string, string>>;
  readonly requests: Readonly<Record<string, string>>;
}

/**
 * Gives containers what they do not ask for and notes it in an annotation; where limit ranges differ, the first has its way. On update a container
 * gets back only what it was given when it was made, so that a pod can be sent again as its author wrote it, and older pods stay as they are.
 */
export function fillIn(pod: Pod, ranges: readonly LimitRange[], old?: Pod): void {
  const defaults = defaultsOf(ranges);
  const notes: string[] = [];
  for (const container of pod.spec.containers ?? []) {
    const given = old ? givenTo(container, defaults, old) : defaults;
    const filled = fillContainer(container, given);
    if (filled) notes.push(`${filled} of container ${container.name}`);
  }
  if (notes.length === 0) return;
  const note = `LimitRanger filled in ${notes.join('; ')}`;
  pod.metadata.annotations = { ...pod.metadata.annotations, [limitRangerAnnotation]: note };
}

function defaultsOf(ranges: readonly LimitRange[]): Defaults {
  let [limits, requests] = [{}, {}];
  for (const item of ranges.flatMap(({ spec }) => spec?.limits ?? [])) {
    if (item.type !== 'Container') continue;
    limits = { ...item.default, ...limits };
    requests = { ...item.defaultRequest, ...requests };
  }
  return { limits, requests };
}

/** Of the amounts that have a default now, those that the container has. */
function givenTo({ name }: Container, defaults: Defaults, old: Pod): Defaults {
  const { limits = {}, requests = {} } =
    old.spec.containers.find((container) => container.name === name)?.resources ?? {};
  return { limits: pick(limits, defaults.limits), requests: pick(requests, defaults.requests) };
}

function pick(amounts: Record<string, string>, names: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(Object.entries(amounts).filter(([name]) => Object.hasOwn(names, name)));
}

/** What was filled in, in words; nothing when nothing was. */
function fillContainer(container: Container, defaults: Defaults): string {
  const { limits = {}, requests = {} } = container.resources ?? {};
  const missing = {
    requests: Object.keys(defaults.requests).filter((name) => !Object.hasOwn(requests, name)),
    limits: Object.keys(defaults.limits).filter((name) => !Object.hasOwn(limits, name)),
  };
  if (missing.requests.length + missing.limits.length === 0) return '';
  const resources = { ...container.resources };
  if (missing.limits.length > 0) resources.limits = { ...defaults.limits, ...limits };
  if (missing.requests.length > 0) resources.requests = { ...defaults.requests, ...requests };
  container.resources = resources;
  return (['requests', 'limits'] as const)
    .filter((field) => missing[field].length > 0)
    .map((field) => `${field} (${missing[field].sort().join(', ')})`)
    .join(' and ');
}
