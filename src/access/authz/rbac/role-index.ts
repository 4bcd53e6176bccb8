import type { Kind } from '../../../kinds/kind.ts';
import type { ApiObject } from '../../../kinds/meta/object-meta.ts';
import { clusterRoleBinding } from '../../../kinds/rbac/cluster-role-binding.ts';
import { clusterRole } from '../../../kinds/rbac/cluster-role.ts';
import type { PolicyRule } from '../../../kinds/rbac/policy-rule.ts';
import { roleBinding } from '../../../kinds/rbac/role-binding.ts';
import type { RoleRef } from '../../../kinds/rbac/role-ref.ts';
import { role } from '../../../kinds/rbac/role.ts';
import type { Subject } from '../../../kinds/rbac/subject.ts';
import { parseKey } from '../../../registry/address.ts';
import type { User } from '../../../registry/write.ts';
import { accountUserName } from '../../authn/account-name.ts';
import type { Derived, KindFollower } from '../followed-state.ts';
import { CompiledRule } from './compiled-rule.ts';

/** A role that somebody was given, and by what. */
export interface Grant {
  /** `ClusterRoleBinding "name"`, and the like. */
  readonly binding: string;
  readonly roleRef: RoleRef;
  readonly rules: readonly CompiledRule[];
}

interface IndexedBinding {
  readonly label: string;
  /** Empty for the whole cluster. */
  readonly namespace: string;
  readonly roleRef: RoleRef;
  readonly terms: readonly string[];
}

interface BindingObject extends ApiObject {
  readonly subjects?: readonly Subject[];
  readonly roleRef?: RoleRef;
}

/** Roles by name and bindings by whom they are for, so that a request looks only at what was given to its user. */
export class RoleIndex implements Derived {
  readonly #rules = new Map<string, readonly CompiledRule[]>();
  readonly #bindings = new Map<string, IndexedBinding>();
  /** By namespace and user or group. */
  readonly #byTerm = new Map<string, Set<IndexedBinding>>();

  readonly followers: readonly KindFollower[] = [
    this.#roles(clusterRole),
    this.#roles(role),
    this.#bindingsOf(clusterRoleBinding),
    this.#bindingsOf(roleBinding),
  ];

  /** Calls back with all that a user was given in the whole cluster and in a namespace, until it says true. */
  visit(user: User, namespace: string | undefined, visitor: (grant: Grant) => boolean): void {
    const scopes = namespace ? ['', namespace] : [''];
    for (const scope of scopes) {
      if (this.#visitTerm(scope, userTerm(user.name), visitor)) return;
      for (const group of user.groups) if (this.#visitTerm(scope, groupTerm(group), visitor)) return;
    }
  }

  /** The rules of a role; undefined when there is no such role. */
  rulesOf(ref: RoleRef, namespace: string): readonly CompiledRule[] | undefined {
    return this.#rules.get(ref.kind === 'ClusterRole' ? roleKey('', ref.name) : roleKey(namespace, ref.name));
  }

  #visitTerm(scope: string, term: string, visitor: (grant: Grant) => boolean): boolean {
    const bindings = this.#byTerm.get(scopedTerm(scope, term));
    if (!bindings) return false;
    for (const { label, namespace, roleRef } of bindings) {
      const rules = this.rulesOf(roleRef, namespace);
      if (rules && visitor({ binding: label, roleRef, rules })) return true;
    }
    return false;
  }

  #roles<T extends ApiObject & { rules?: PolicyRule[] }>(kind: Kind<T>): KindFollower {
    const keyOf = (key: string): string => {
      const { namespace, name } = parseKey(kind, key);
      return roleKey(namespace, name);
    };
    return {
      kind,
      set: (key, { rules = [] }: T) => {
        const compiled = rules.map((rule) => new CompiledRule(rule));
        this.#rules.set(keyOf(key), compiled);
      },
      delete: (key) => void this.#rules.delete(keyOf(key)),
    };
  }

  #bindingsOf<T extends ApiObject>(kind: Kind<T>): KindFollower {
    return {
      kind,
      set: (key, object: T) => this.#setBinding(kind, key, object),
      delete: (key) => this.#deleteBinding(key),
    };
  }

  #setBinding(kind: Kind, key: string, { subjects = [], roleRef }: BindingObject): void {
    this.#deleteBinding(key);
    if (!roleRef) return;
    const { namespace, name } = parseKey(kind, key);
    const terms = [...new Set(subjects.map((subject) => scopedTerm(namespace, subjectTerm(subject, namespace))))];
    const label = `${kind.kind} ${JSON.stringify(namespace ? `${namespace}/${name}` : name)}`;
    const binding: IndexedBinding = { label, namespace, roleRef, terms };
    this.#bindings.set(key, binding);
    for (const term of terms) {
      let others = this.#byTerm.get(term);
      if (!others) this.#byTerm.set(term, (others = new Set<IndexedBinding>()));
      others.add(binding);
    }
  }

  #deleteBinding(key: string): void {
    const binding = this.#bindings.get(key);
    if (!binding) return;
    this.#bindings.delete(key);
    for (const term of binding.terms) {
      const others = this.#byTerm.get(term);
      others?.delete(binding);
      if (others?.size === 0) this.#byTerm.delete(term);
    }
  }
}

function roleKey(namespace: string, name: string): string {
  return `${namespace}/${name}`;
}

function scopedTerm(namespace: string, term: string): string {
  return `${namespace}/${term}`;
}

function userTerm(name: string): string {
  return `user ${name}`;
}

function groupTerm(name: string): string {
  return `group ${name}`;
}

function subjectTerm({ kind, name, namespace }: Subject, own: string): string {
  if (kind === 'Group') return groupTerm(name);
  return userTerm(kind === 'ServiceAccount' ? accountUserName(namespace || own, name) : name);
}
