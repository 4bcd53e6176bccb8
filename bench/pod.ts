import type { PodTemplateSpec } from '../src/kinds/core/pod-template-spec.ts';
import type { Container } from '../src/kinds/core/pod/container.ts';
import type { PodSpec } from '../src/kinds/core/pod/pod-spec.ts';
import type { Probe } from '../src/kinds/core/pod/probe.ts';
import { tokens } from './load/request-template.ts';

/** The namespace that everything happens in; every cluster has it. */
export const pods = '/api/v1/namespaces/default/pods';

/**
 * A pod as a deployment makes it. Numbered names; ten pods in a row share the value of the label `batch`. `change` tells the bodies of one pod
 * apart, so that writing another is a change.
 */
export function podBody(change = 'made'): string {
  const labels = {
    app: 'storefront',
    tier: 'web',
    'pod-template-hash': '2849536291',
    batch: tokens.decade,
  };
  const annotations = {
    'example.com/change': `${change}-${tokens.serial}`,
    'kubernetes.io/created-by': '{"kind":"SerializedReference","apiVersion":"v1","reference":{"kind":"ReplicaSet"}}',
  };
  return JSON.stringify({
    kind: 'Pod',
    apiVersion: 'v1',
    metadata: { name: `storefront-2849536291-${tokens.object}`, namespace: 'default', labels, annotations },
    spec: podSpec(),
  });
}

/** What a deployment makes such pods from. */
export function podTemplate(app: string): PodTemplateSpec {
  return { metadata: { labels: { app, tier: 'web' } }, spec: podSpec() };
}

function podSpec(): PodSpec {
  return {
    containers: [container()],
    volumes: [
      { name: 'settings', configMap: { name: 'storefront-settings' } },
      { name: 'cache', emptyDir: {} },
    ],
    restartPolicy: 'Always',
    terminationGracePeriodSeconds: 30,
    dnsPolicy: 'ClusterFirst',
  };
}

function container(): Container {
  const probe = (path: string, delay: number): Probe => ({
    httpGet: { path, port: 8080, scheme: 'HTTP' },
    initialDelaySeconds: delay,
    timeoutSeconds: 2,
    periodSeconds: 10,
  });
  return {
    name: 'web',
    image: 'registry.example.com/shop/storefront:3.14.2',
    args: ['--listen=:8080', '--log-format=json'],
    ports: [{ name: 'http', containerPort: 8080, protocol: 'TCP' }],
    env: [
      { name: 'POD_NAME', valueFrom: { fieldRef: { apiVersion: 'v1', fieldPath: 'metadata.name' } } },
      { name: 'DATABASE_URL', value: 'postgres://orders.data.svc.cluster.local:5432/orders' },
      { name: 'CACHE_SIZE', value: '256' },
    ],
    resources: { limits: { cpu: '500m', memory: '256Mi' }, requests: { cpu: '100m', memory: '128Mi' } },
    volumeMounts: [
      { name: 'settings', mountPath: '/etc/storefront', readOnly: true },
      { name: 'cache', mountPath: '/var/cache/storefront' },
    ],
    livenessProbe: probe('/healthz', 15),
    readinessProbe: probe('/ready', 3),
    imagePullPolicy: 'IfNotPresent',
  };
}
