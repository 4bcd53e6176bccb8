import { readFile } from 'node:fs/promises';
import type { PolicyRule } from '../../../kinds/rbac/policy-rule.ts';
import type { User } from '../../../registry/write.ts';
import { notAllowed, type Authorizer } from '../authorizer.ts';
import { isReading, type RequestAction } from '../request-action.ts';
import { parsePolicy, type Policy } from './policy.ts';

/** Allows what a line of the file allows; the file is read once, at the start. */
export async function readPolicyFile(path: string): Promise<Authorizer> {
  let content: string;
  try {
    content = await readFile(path, 'utf8');
  } catch (cause) {
    throw new Error(`the policy file ${path} cannot be read`, { cause });
  }
  return abacAuthorizer(parsePolicies(content, path));
}

/** Empty lines and those that begin with # are skipped. Every mistake names its line. */
export function parsePolicies(content: string, path: string): Policy[] {
  const lines = content.replace(/^\uFEFF/, '').split(/\r?\n/);
  return lines.flatMap((line, index) => {
    const text = line.trim();
    if (text === '' || text.startsWith('#')) return [];
    try {
      return parsePolicy(text);
    } catch (cause) {
      const why = cause instanceof Error ? cause.message : String(cause);
      throw new Error(`${path}, line ${index + 1}: ${why}`, { cause });
    }
  });
}

export function abacAuthorizer(policies: readonly Policy[]): Authorizer {
  return {
    authorize(user, action) {
      const index = policies.findIndex(
        (policy) => isFor(policy, user) && (!policy.readonly || isReading(action)) && covers(policy, action),
      );
      return index < 0 ? notAllowed : { allowed: true, reason: `policy ${index + 1} of the policy file allows it` };
    },
    rightsOf: (user, namespace) => ({
      rules: policies.filter((policy) => isFor(policy, user)).flatMap((policy) => rulesFrom(policy, namespace)),
    }),
  };
}

/** A policy that names both a user and a group is for that user in that group. */
function isFor(policy: Policy, { name, groups }: User): boolean {
  if (!policy.user && !policy.group) return false;
  return (!policy.user || policy.user === name) && (!policy.group || groups.includes(policy.group));
}

function covers(policy: Policy, action: RequestAction): boolean {
  if (action.resource === undefined) return coversPath(policy.nonResourcePath, action.path);
  return (
    matches(policy.namespace, action.namespace ?? '') &&
    matches(policy.resource, action.resource) &&
    matches(policy.apiGroup, action.group ?? '')
  );
}

function matches(pattern: string, value: string): boolean {
  return pattern === '*' || pattern === value;
}

function coversPath(pattern: string, path: string): boolean {
  return pattern.endsWith('*') ? path.startsWith(pattern.slice(0, -1)) : pattern === path && pattern !== '';
}

/** A policy about pods is also about their logs and all that is below them. */
function rulesFrom(policy: Policy, namespace: string): PolicyRule[] {
  const verbs = policy.readonly ? ['get', 'list', 'watch'] : ['*'];
  const rules: PolicyRule[] = [];
  if (policy.resource && matches(policy.namespace, namespace)) {
    const resources = policy.resource === '*' ? ['*'] : [policy.resource, `${policy.resource}/*`];
    rules.push({ verbs, apiGroups: [policy.apiGroup], resources });
  }
  if (policy.nonResourcePath) rules.push({ verbs, nonResourceURLs: [policy.nonResourcePath] });
  return rules;
}
