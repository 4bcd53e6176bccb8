import type { PolicyRule } from '../../../kinds/rbac/policy-rule.ts';
import { resourceOf, type RequestAction } from '../request-action.ts';

/** A rule in a form that answers quickly. */
export class CompiledRule {
  readonly rule: PolicyRule;
  readonly #verbs: ReadonlySet<string>;
  readonly #groups: ReadonlySet<string>;
  readonly #resources: ReadonlySet<string>;
  readonly #names: ReadonlySet<string>;
  readonly #paths: ReadonlySet<string>;
  /** Of paths that end in `*`, what stands before it. */
  readonly #pathBeginnings: readonly string[];

  constructor(rule: PolicyRule) {
    this.rule = rule;
    const { nonResourceURLs = [] } = rule;
    this.#verbs = new Set(rule.verbs);
    this.#groups = new Set(rule.apiGroups);
    this.#resources = new Set(rule.resources);
    this.#names = new Set(rule.resourceNames);
    this.#paths = new Set(nonResourceURLs);
    this.#pathBeginnings = nonResourceURLs.filter((path) => path.endsWith('*')).map((path) => path.slice(0, -1));
  }

  allows(action: RequestAction): boolean {
    if (!has(this.#verbs, action.verb)) return false;
    return action.resource === undefined ? this.#allowsPath(action.path) : this.#allowsResource(action);
  }

  #allowsResource(action: RequestAction): boolean {
    const { group = '', subresource, name } = action;
    if (!has(this.#groups, group)) return false;
    const named = has(this.#resources, resourceOf(action)) || (subresource && this.#resources.has(`*/${subresource}`));
    if (!named) return false;
    return this.#names.size === 0 || (name !== undefined && this.#names.has(name));
  }

  #allowsPath(path: string): boolean {
    return this.#paths.has(path) || this.#pathBeginnings.some((beginning) => path.startsWith(beginning));
  }
}

function has(set: ReadonlySet<string>, value: string): boolean {
  return set.has('*') || set.has(value);
}
