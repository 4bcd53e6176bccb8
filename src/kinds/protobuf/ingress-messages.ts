import type { MessageNumbers } from '../../schema/protobuf/message-numbers.ts';

/** Ingresses, of both groups and in both forms. */
export const ingressMessages: MessageNumbers = {
  Ingress: { metadata: 1, spec: 2, status: 3 },
  'v1.IngressSpec': { defaultBackend: 1, tls: 2, rules: 3, ingressClassName: 4 },
  'v1beta1.IngressSpec': { backend: 1, tls: 2, rules: 3, ingressClassName: 4 },
  'v1.IngressBackend': { resource: 3, service: 4 },
  'v1beta1.IngressBackend': { serviceName: 1, servicePort: 2, resource: 3 },
  IngressTLS: { hosts: 1, secretName: 2 },
  IngressRule: { host: 1, http: [2, 1] },
  HTTPIngressRuleValue: { paths: 1 },
  HTTPIngressPath: { path: 1, backend: 2, pathType: 3 },
  IngressStatus: { loadBalancer: 1 },
  IngressServiceBackend: { name: 1, port: 2 },
  ServiceBackendPort: { name: 1, number: 2 },
};
