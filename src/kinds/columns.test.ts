import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { componentStatus, type ComponentStatus } from './core/component-status.ts';
import { configMap } from './core/config-map.ts';
import { endpoints, type Endpoints } from './core/endpoints.ts';
import { event } from './core/event.ts';
import { limitRange } from './core/limit-range.ts';
import { namespace } from './core/namespace.ts';
import { persistentVolumeClaim } from './core/persistent-volume-claim.ts';
import { persistentVolume } from './core/persistent-volume.ts';
import { podTemplate } from './core/pod-template.ts';
import { replicationController } from './core/replication-controller.ts';
import { resourceQuota } from './core/resource-quota.ts';
import { secret } from './core/secret.ts';
import { serviceAccount } from './core/service-account.ts';
import { daemonSet } from './extensions/daemon-set.ts';
import { deployment } from './extensions/deployment.ts';
import { horizontalPodAutoscaler } from './extensions/horizontal-pod-autoscaler.ts';
import { ingress, type Ingress } from './extensions/ingress.ts';
import { job, type Job } from './extensions/job.ts';
import { replicaSet } from './extensions/replica-set.ts';
import { kinds } from './index.ts';
import { clusterRoleBinding } from './rbac/cluster-role-binding.ts';
import { clusterRole } from './rbac/cluster-role.ts';
import { roleBinding } from './rbac/role-binding.ts';
import { shownCells, type Cells } from './testing/shown-cells.ts';

const created = '2030-01-01T00:55:00Z';
const metadata = { name: 'one', creationTimestamp: created };
const Age = '5m';
const Name = 'one';

describe('the columns of every kind', () => {
  for (const kind of [...kinds, componentStatus]) {
    it(`show the example of ${kind.group}/${kind.kind}`, () => {
      assert.ok(kind.columns.some(({ format }) => format === 'name'));
      for (const column of kind.columns) {
        const cell = column.read(kind.example, { now: 0 });
        assert.equal(typeof cell, column.type === 'integer' ? 'number' : 'string', column.name);
        assert.doesNotMatch(String(cell), /undefined|NaN|\[object/, column.name);
      }
    });
  }
});

describe('columns', () => {
  it('count the keys of config maps and secrets', () => {
    const data = { a: '', b: '' };
    assert.deepEqual(shownCells(configMap, { ...configMap.example, metadata, data }), { Name, Data: 2, Age });
    const cells = shownCells(secret, { ...secret.example, metadata, data: undefined, type: 'kubernetes.io/tls' });
    assert.deepEqual(cells, { Name, Type: 'kubernetes.io/tls', Data: 0, Age });
  });

  it('count the secrets of service accounts', () => {
    const secrets = [{ name: 'a' }, { name: 'b' }];
    const cells = shownCells(serviceAccount, { ...serviceAccount.example, metadata, secrets });
    assert.deepEqual(cells, { Name, Secrets: 2, Age });
  });

  it('show the phase of namespaces', () => {
    const cells = shownCells(namespace, { ...namespace.example, metadata, status: { phase: 'Terminating' } });
    assert.deepEqual(cells, { Name, Status: 'Terminating', Age });
  });

  it('show when limit ranges and roles were created', () => {
    const cells = { Name, 'Created At': created };
    assert.deepEqual(shownCells(limitRange, { ...limitRange.example, metadata }), cells);
    assert.deepEqual(shownCells(clusterRole, { ...clusterRole.example, metadata }), cells);
  });

  it('tell the usage of quotas, limits apart', () => {
    const status = { hard: { pods: '10', 'limits.cpu': '4', cpu: '2' }, used: { pods: '3', 'limits.cpu': '1' } };
    const cells = shownCells(resourceQuota, { ...resourceQuota.example, metadata, status });
    assert.deepEqual(cells, { Name, Age, Request: 'cpu: 0/2, pods: 3/10', Limit: 'limits.cpu: 1/4' });
  });

  it('say how components are', () => {
    const show = (condition?: NonNullable<ComponentStatus['conditions']>[number]): Cells =>
      shownCells(componentStatus, { ...componentStatus.example, metadata, conditions: condition && [condition] });
    assert.deepEqual(show({ type: 'Healthy', status: 'True', message: 'ok' }), { Name, Status: 'Healthy', Message: 'ok', Error: '' }); // prettier-ignore
    assert.deepEqual(show({ type: 'Healthy', status: 'False', error: 'gone' }), { Name, Status: 'Unhealthy', Message: '', Error: 'gone' }); // prettier-ignore
    assert.equal(show()['Status'], 'Unknown');
  });

  it('show what pod templates and workloads run', () => {
    const containers = [
      { name: 'web', image: 'nginx:1.9' },
      { name: 'log', image: 'busybox' },
    ];
    const template = { metadata: { labels: { b: '2', a: '1' } }, spec: { containers } };
    const runs = { Containers: 'web,log', Images: 'nginx:1.9,busybox' };
    assert.deepEqual(shownCells(podTemplate, { ...podTemplate.example, metadata, template }), {
      Name,
      ...runs,
      'Pod Labels': 'a=1,b=2',
    });
    const controller = {
      ...replicationController.example,
      metadata,
      spec: { replicas: 3, selector: { a: '1' }, template },
      status: { replicas: 2 },
    };
    assert.deepEqual(shownCells(replicationController, controller), {
      Name,
      Desired: 3,
      Current: 2,
      Ready: 0,
      Age,
      ...runs,
      Selector: 'a=1',
    });
    const selector = { matchExpressions: [{ key: 'a', operator: 'In', values: ['1', '2'] }] };
    const set = {
      ...replicaSet.example,
      metadata,
      spec: { replicas: 0, selector, template },
      status: { replicas: 2, readyReplicas: 1 },
    };
    assert.deepEqual(shownCells(replicaSet, set), {
      Name,
      Desired: 0,
      Current: 2,
      Ready: 1,
      Age,
      ...runs,
      Selector: 'a in (1,2)',
    });
  });

  it('tell how far deployments and daemon sets are', () => {
    const status = { replicas: 4, updatedReplicas: 2, readyReplicas: 3, availableReplicas: 1 };
    const { spec } = deployment.example;
    const cells = shownCells(deployment, { ...deployment.example, metadata, spec: { ...spec, replicas: 4 }, status });
    assert.deepEqual([cells['Ready'], cells['Up-to-date'], cells['Available'], cells['Age']], ['3/4', 2, 1, Age]);
    const daemons = shownCells(daemonSet, {
      ...daemonSet.example,
      metadata,
      status: {
        desiredNumberScheduled: 4,
        currentNumberScheduled: 3,
        numberMisscheduled: 1,
        numberReady: 2,
        updatedNumberScheduled: 1,
      },
    });
    assert.deepEqual([daemons['Desired'], daemons['Current'], daemons['Ready']], [4, 3, 2]);
    assert.deepEqual([daemons['Up-to-date'], daemons['Available'], daemons['Node Selector']], [1, 0, '<none>']);
  });

  it('tell how far jobs are and how long they took', () => {
    const show = (spec: Partial<Job['spec']>, status: Job['status']): (string | number | undefined)[] => {
      const cells = shownCells(job, { ...job.example, metadata, spec: { ...job.example.spec, ...spec }, status });
      return [cells['Completions'], cells['Duration']];
    };
    const startTime = '2030-01-01T00:58:00Z';
    assert.deepEqual(show({ completions: 3 }, {}), ['0/3', '']);
    assert.deepEqual(show({ parallelism: 4 }, { succeeded: 1, startTime }), ['1/1 of 4', '2m']);
    assert.deepEqual(show({ parallelism: 1 }, { succeeded: 1, startTime, completionTime: '2030-01-01T00:58:07Z' }), ['1/1', '7s']); // prettier-ignore
  });

  it('show what autoscalers scale, and what they measured', () => {
    const { example } = horizontalPodAutoscaler;
    const status = { currentReplicas: 2, desiredReplicas: 3, currentCPUUtilizationPercentage: 0 };
    const spec = { ...example.spec, minReplicas: 2, cpuUtilization: { targetPercentage: 80 } };
    const cells = { Name, Reference: 'Deployment/web', Targets: '0%/80%', MinPods: 2, MaxPods: 5, Replicas: 2, Age };
    assert.deepEqual(shownCells(horizontalPodAutoscaler, { ...example, metadata, spec, status }), cells);
    const unmeasured = shownCells(horizontalPodAutoscaler, { ...example, metadata, spec, status: undefined });
    assert.deepEqual([unmeasured['Targets'], unmeasured['Replicas']], ['<unknown>/80%', 0]);
  });

  it('show the first hosts of an ingress, and how it is reached', () => {
    const rules = ['a', 'b', 'c', 'd', 'e'].map((host) => ({ host: `${host}.example.com` }));
    const status = { loadBalancer: { ingress: [{ ip: '192.0.2.1' }, { hostname: 'lb.example.com' }] } };
    const show = (spec: Ingress['spec']): Cells => shownCells(ingress, { ...ingress.example, metadata, spec, status });
    assert.deepEqual(show({ rules, tls: [{ secretName: 'cert' }] }), {
      Name,
      Hosts: 'a.example.com,b.example.com,c.example.com + 2 more...',
      Address: '192.0.2.1,lb.example.com',
      Ports: '80, 443',
      Age,
    });
    const { Hosts, Ports } = show({ backend: { serviceName: 'web', servicePort: 80 } });
    assert.deepEqual([Hosts, Ports], ['*', '80']);
  });

  it('show the first addresses of endpoints', () => {
    const show = (subsets: Endpoints['subsets']): string | number | undefined =>
      shownCells(endpoints, { ...endpoints.example, metadata, subsets })['Endpoints'];
    const addresses = [{ ip: '10.0.0.1' }, { ip: '10.0.0.2' }];
    assert.equal(show([]), '<none>');
    assert.equal(show([{ notReadyAddresses: addresses, ports: [{ port: 80 }] }]), '<none>');
    assert.equal(show([{ addresses, ports: [{ port: 80 }] }]), '10.0.0.1:80,10.0.0.2:80');
    assert.equal(
      show([{ addresses, ports: [{ port: 80 }, { port: 443 }] }]),
      '10.0.0.1:80,10.0.0.2:80,10.0.0.1:443 + 1 more...',
    );
  });

  it('tell when an event happened, to what and who says so', () => {
    const cells = shownCells(event, {
      ...event.example,
      metadata,
      involvedObject: { kind: 'Pod', name: 'web', namespace: 'default', fieldPath: 'spec.containers{web}' },
      source: { component: 'scheduler', host: 'node-1' },
      message: ' placed \n',
      firstTimestamp: '2030-01-01T00:30:00Z',
      lastTimestamp: '2030-01-01T00:59:30Z',
      count: 4,
    });
    assert.deepEqual(cells, {
      'Last Seen': '30s',
      Type: 'Normal',
      Reason: 'Started',
      Object: 'pod/web',
      Subobject: 'spec.containers{web}',
      Source: 'scheduler, node-1',
      Message: 'placed',
      'First Seen': '30m',
      Count: 4,
      Name,
    });
    assert.deepEqual(
      event.columns.filter(({ wide }) => !wide).map(({ name }) => name),
      ['Last Seen', 'Type', 'Reason', 'Object', 'Message'],
    );
  });

  it('show what volumes hold and who claims them', () => {
    const cells = shownCells(persistentVolume, {
      ...persistentVolume.example,
      metadata,
      spec: {
        capacity: { storage: '1Gi' },
        accessModes: ['ReadWriteOnce', 'ReadOnlyMany', 'ReadWriteMany'],
        persistentVolumeReclaimPolicy: 'Retain',
        claimRef: { namespace: 'team', name: 'data' },
      },
      status: { phase: 'Bound' },
    });
    assert.deepEqual(cells, {
      Name,
      Capacity: '1Gi',
      'Access Modes': 'RWO,ROX,RWX',
      'Reclaim Policy': 'Retain',
      Status: 'Bound',
      Claim: 'team/data',
      Reason: '',
      Age,
    });
  });

  it('show what claims were given, once they are bound', () => {
    const { example } = persistentVolumeClaim;
    const status = { phase: 'Bound', accessModes: ['ReadWriteOnce' as const], capacity: { storage: '2Gi' } };
    const bound = shownCells(persistentVolumeClaim, { ...example, metadata, spec: { volumeName: 'disk' }, status });
    const given = { Status: 'Bound', Volume: 'disk', Capacity: '2Gi', 'Access Modes': 'RWO' };
    assert.deepEqual(bound, { Name, ...given, Age });
    const leaving = { ...metadata, deletionTimestamp: created };
    const waiting = shownCells(persistentVolumeClaim, { ...example, metadata: leaving, spec: {}, status });
    assert.deepEqual([waiting['Status'], waiting['Capacity'], waiting['Access Modes']], ['Terminating', '', '']);
  });

  it('show who is bound to which role', () => {
    const subjects = [
      { kind: 'User', name: 'jane' },
      { kind: 'Group', name: 'team' },
      { kind: 'User', name: 'joe' },
      { kind: 'ServiceAccount', name: 'robot', namespace: 'ci' },
    ];
    const who = { Users: 'jane, joe', Groups: 'team', ServiceAccounts: 'ci/robot' };
    const binding = shownCells(roleBinding, { ...roleBinding.example, metadata, subjects });
    assert.deepEqual(binding, { Name, Role: 'Role/pod-reader', Age, ...who });
    const { Users } = shownCells(clusterRoleBinding, { ...clusterRoleBinding.example, metadata, subjects });
    assert.equal(Users, 'jane, joe');
  });
});
