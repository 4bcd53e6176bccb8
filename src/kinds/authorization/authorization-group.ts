/** The API group of questions about who may do what. */
export const authorizationGroup = 'authorization.k8s.io';
export const authorizationApiVersion = `${authorizationGroup}/v1`;
