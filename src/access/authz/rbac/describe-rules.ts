import type { PolicyRule } from '../../../kinds/rbac/policy-rule.ts';

const mostRules = 5;
const mostValues = 8;

/** Rules in words, cut where there are too many to be read. */
export function describeRules(rules: readonly PolicyRule[]): string {
  const shown = rules.slice(0, mostRules).map(describe);
  if (rules.length > mostRules) shown.push(`and ${rules.length - mostRules} more`);
  return shown.join('; ');
}

function describe({
  verbs,
  apiGroups = [],
  resources = [],
  resourceNames = [],
  nonResourceURLs = [],
}: PolicyRule): string {
  if (nonResourceURLs.length > 0) return `${words(verbs)} at ${words(nonResourceURLs)}`;
  const named = resourceNames.length > 0 ? ` called ${words(resourceNames)}` : '';
  return `${words(verbs)} ${words(resources)} of group ${words(apiGroups)}${named}`;
}

function words(values: readonly string[]): string {
  const shown = values
    .slice(0, mostValues)
    .map((value) => (/^[-*\w./:]+$/.test(value) ? value : JSON.stringify(value)));
  return values.length > mostValues ? `${shown.join(',')},…` : shown.join(',');
}
