import type { ClusterRoleBinding } from '../../../kinds/rbac/cluster-role-binding.ts';
import { rbacApiVersion, rbacGroup } from '../../../kinds/rbac/rbac-group.ts';
import type { Subject } from '../../../kinds/rbac/subject.ts';
import { anonymousGroup } from '../../authn/anonymous.ts';
import { authenticatedGroup } from '../../authn/authenticator.ts';
import { mastersGroup } from '../masters.ts';
import { bootstrapMetadata } from './bootstrap-metadata.ts';

function group(name: string): Subject {
  return { kind: 'Group', apiGroup: rbacGroup, name };
}

function user(name: string): Subject {
  return { kind: 'User', apiGroup: rbacGroup, name };
}

/** Mostly a binding is called as its role. */
function bind(role: string, subjects: Subject[], name = role): ClusterRoleBinding {
  return {
    kind: 'ClusterRoleBinding',
    apiVersion: rbacApiVersion,
    metadata: bootstrapMetadata(name),
    subjects,
    roleRef: { apiGroup: rbacGroup, kind: 'ClusterRole', name: role },
  };
}

/** Who has which of the roles that every cluster has. Nodes have theirs from the Node authorizer, which looks closer. */
export function bootstrapBindings(): readonly ClusterRoleBinding[] {
  return [
    bind('cluster-admin', [group(mastersGroup)]),
    bind('system:discovery', [group(authenticatedGroup)]),
    bind('system:basic-user', [group(authenticatedGroup)]),
    bind('system:public-info-viewer', [group(authenticatedGroup), group(anonymousGroup)]),
    bind('system:monitoring', [group('system:monitoring')]),
    bind('system:kube-controller-manager', [user('system:kube-controller-manager')]),
    bind('system:kube-scheduler', [user('system:kube-scheduler')]),
    bind('system:kube-dns', [{ kind: 'ServiceAccount', name: 'kube-dns', namespace: 'kube-system' }]),
    bind('system:node-proxier', [user('system:kube-proxy')]),
    bind('system:node', []),
  ];
}
