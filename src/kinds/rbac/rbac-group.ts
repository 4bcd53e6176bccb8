/** The API group that roles and bindings belong to, and the users and groups that they name. */
export const rbacGroup = 'rbac.authorization.k8s.io';
export const rbacApiVersion = `${rbacGroup}/v1`;
