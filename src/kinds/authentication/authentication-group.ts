/** The API group of questions about who somebody is. */
export const authenticationGroup = 'authentication.k8s.io';
export const authenticationApiVersion = `${authenticationGroup}/v1`;
