/** The API group that tells how much nodes and pods use at this moment. */
export const metricsGroup = 'metrics.k8s.io';
export const metricsVersion = 'v1beta1';
export const metricsApiVersion = `${metricsGroup}/${metricsVersion}`;
