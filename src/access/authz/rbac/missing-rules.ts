import type { PolicyRule } from '../../../kinds/rbac/policy-rule.ts';

/**
 * What is wanted and not held. Each wanted rule stands for every combination of its verbs, groups, resources and names, any of which another held
 * rule may allow. Values that the same held rules allow are looked at together, so that long lists cost no more than short ones.
 */
export function missingRules(held: readonly PolicyRule[], wanted: readonly PolicyRule[]): PolicyRule[] {
  const resources = new HeldResources(held.filter((rule) => !isAboutPaths(rule)));
  const paths = new HeldPaths(held.filter(isAboutPaths));
  return wanted.flatMap((rule) => (isAboutPaths(rule) ? paths.missing(rule) : resources.missing(rule)));
}

function isAboutPaths({ nonResourceURLs = [] }: PolicyRule): boolean {
  return nonResourceURLs.length > 0;
}

/** A set of held rules: the rule at index i is bit i. */
type RuleSet = bigint;

/** Which of the held rules allow a value. */
type Lookup = (value: string) => RuleSet;

/** Values that the same rules allow. */
interface Alike {
  readonly rules: RuleSet;
  readonly values: string[];
}

function lookup(lists: readonly (readonly string[])[]): Lookup {
  const rules = new Map<string, RuleSet>();
  lists.forEach((values, index) => {
    for (const value of values) rules.set(value, (rules.get(value) ?? 0n) | (1n << BigInt(index)));
  });
  const anything = rules.get('*') ?? 0n;
  return (value) => anything | (rules.get(value) ?? 0n);
}

function group(values: readonly string[], find: Lookup): Alike[] {
  const groups = new Map<RuleSet, Alike>();
  for (const value of new Set(values)) {
    const rules = find(value);
    const alike = groups.get(rules);
    if (alike) alike.values.push(value);
    else groups.set(rules, { rules, values: [value] });
  }
  return [...groups.values()];
}

class HeldResources {
  readonly #verbs: Lookup;
  readonly #groups: Lookup;
  readonly #resources: Lookup;
  readonly #names: Lookup;
  /** Rules about all objects, whatever their names. */
  readonly #unnamed: RuleSet;

  constructor(held: readonly PolicyRule[]) {
    this.#verbs = lookup(held.map(({ verbs }) => verbs));
    this.#groups = lookup(held.map(({ apiGroups = [] }) => apiGroups));
    this.#resources = lookup(held.map(({ resources = [] }) => resources));
    const names = held.map(({ resourceNames = [] }) => resourceNames);
    this.#unnamed = lookup(names.map((each) => (each.length === 0 ? ['all'] : [])))('all');
    // A name is no pattern: an object that is called * is only that.
    const byName = lookup(names.map((each) => each.map((name) => `=${name}`)));
    this.#names = (name) => this.#unnamed | byName(`=${name}`);
  }

  missing({ verbs, apiGroups = [], resources = [], resourceNames = [] }: PolicyRule): PolicyRule[] {
    const names = resourceNames.length > 0 ? group(resourceNames, this.#names) : [{ rules: this.#unnamed, values: [] }];
    const missing: PolicyRule[] = [];
    const resourceGroups = group(resources, (resource) => this.#resource(resource));
    const apiGroupGroups = group(apiGroups, this.#groups);
    for (const verb of group(verbs, this.#verbs)) {
      for (const apiGroup of apiGroupGroups) {
        for (const resource of resourceGroups) {
          for (const name of names) {
            if ((verb.rules & apiGroup.rules & resource.rules & name.rules) !== 0n) continue;
            const rule = { verbs: verb.values, apiGroups: apiGroup.values, resources: resource.values };
            missing.push(name.values.length > 0 ? { ...rule, resourceNames: name.values } : rule);
          }
        }
      }
    }
    return missing;
  }

  /** `pods/log` is also allowed by a rule about the logs of everything. */
  #resource(resource: string): RuleSet {
    const slash = resource.indexOf('/');
    const exact = this.#resources(resource);
    return slash < 0 ? exact : exact | this.#resources(`*${resource.slice(slash)}`);
  }
}

class HeldPaths {
  readonly #verbs: Lookup;
  readonly #paths: Lookup;
  readonly #beginnings: readonly { readonly beginning: string; readonly rules: RuleSet }[];

  constructor(held: readonly PolicyRule[]) {
    this.#verbs = lookup(held.map(({ verbs }) => verbs));
    this.#paths = lookup(held.map(({ nonResourceURLs = [] }) => nonResourceURLs));
    const patterns = held.flatMap(({ nonResourceURLs = [] }, index) =>
      nonResourceURLs.filter((path) => path.endsWith('*')).map((path) => ({ path, rules: 1n << BigInt(index) })),
    );
    this.#beginnings = patterns.map(({ path, rules }) => ({ beginning: path.slice(0, -1), rules }));
  }

  missing({ verbs, nonResourceURLs = [] }: PolicyRule): PolicyRule[] {
    const paths = group(nonResourceURLs, (path) => this.#path(path));
    return group(verbs, this.#verbs).flatMap((verb) =>
      paths
        .filter((path) => (verb.rules & path.rules) === 0n)
        .map((path) => ({ verbs: verb.values, nonResourceURLs: path.values })),
    );
  }

  #path(path: string): RuleSet {
    let rules = this.#paths(path);
    for (const each of this.#beginnings) if (path.startsWith(each.beginning)) rules |= each.rules;
    return rules;
  }
}
