import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { decode } from '../../../schema/decode.ts';
import { Path } from '../../../schema/path.ts';
import { validate } from '../../../schema/validate.ts';
import { podSpec, type PodSpec } from './pod-spec.ts';

function complete(input: object): PodSpec {
  const { value, mistakes } = decode(podSpec, input);
  assert.deepEqual(mistakes, []);
  return value;
}

/** `field reason` of everything that is wrong with the spec; the field without what stands before it. */
function wrong(input: object): string[] {
  const { list } = validate(podSpec, complete(input), Path.of('spec'));
  return list.map(({ field, reason }) => `${field.replace('spec.', '')} ${reason.replace('FieldValue', '')}`);
}

const main = { name: 'main', image: 'busybox:1.24' };
const withContainer = (parts: object) => ({ containers: [{ ...main, ...parts }] });

describe('defaults', () => {
  test('a pod is always restarted, looks names up in the cluster and has 30 seconds to end', () => {
    const { restartPolicy, dnsPolicy, terminationGracePeriodSeconds, securityContext } = complete({
      containers: [main],
    });
    assert.deepEqual(
      { restartPolicy, dnsPolicy, terminationGracePeriodSeconds, securityContext },
      { restartPolicy: 'Always', dnsPolicy: 'ClusterFirst', terminationGracePeriodSeconds: 30, securityContext: {} },
    );
  });

  test('a grace period of 0 is kept', () => {
    assert.equal(complete({ terminationGracePeriodSeconds: 0 }).terminationGracePeriodSeconds, 0);
  });

  const policies: [image: string, policy: string][] = [
    ['busybox', 'Always'],
    ['busybox:latest', 'Always'],
    ['busybox:1.24', 'IfNotPresent'],
    ['repo.example.com:5000/x/y', 'Always'],
    ['repo.example.com:5000/x/y:v1', 'IfNotPresent'],
    ['busybox@sha256:0123', 'IfNotPresent'],
    ['repo:5000/busybox:latest@sha256:0123', 'IfNotPresent'],
    ['busybox:', 'Always'],
    ['repo.example.com:5000/x/y:latest', 'Always'],
  ];
  for (const [image, policy] of policies) {
    test(`the image ${image} is fetched ${policy}`, () => {
      assert.equal(complete({ containers: [{ name: 'c', image }] }).containers[0]?.imagePullPolicy, policy);
    });
  }

  test('a probe has its numbers, and a request its path and scheme', () => {
    const spec = complete(withContainer({ livenessProbe: { httpGet: { port: 80 } } }));
    assert.deepEqual(spec.containers[0]?.livenessProbe, {
      httpGet: { path: '/', port: 80, scheme: 'HTTP' },
      timeoutSeconds: 1,
      periodSeconds: 10,
      successThreshold: 1,
      failureThreshold: 3,
    });
  });

  test('a volume that says nothing is an empty directory', () => {
    assert.deepEqual(complete({ volumes: [{ name: 'v' }] }).volumes, [{ name: 'v', emptyDir: {} }]);
    assert.deepEqual(complete({ volumes: [{ name: 'v', hostPath: null }] }).volumes, [{ name: 'v', emptyDir: {} }]);
  });

  test('on the network of the host a port is the same inside and outside', () => {
    const spec = complete({ hostNetwork: true, ...withContainer({ ports: [{ containerPort: 80 }] }) });
    assert.deepEqual(spec.containers[0]?.ports, [{ containerPort: 80, protocol: 'TCP', hostPort: 80 }]);
  });

  test('both names of the service account say the same, and the newer one wins', () => {
    const pick = ({ serviceAccountName, serviceAccount }: PodSpec) => [serviceAccountName, serviceAccount];
    assert.deepEqual(pick(complete({ serviceAccount: 'old' })), ['old', 'old']);
    assert.deepEqual(pick(complete({ serviceAccountName: 'new' })), ['new', 'new']);
    assert.deepEqual(pick(complete({ serviceAccountName: 'new', serviceAccount: 'old' })), ['new', 'new']);
    assert.ok(!('serviceAccountName' in complete({})));
  });

  test('requests are left alone: only pods, not templates, take them from the limits', () => {
    const spec = complete(withContainer({ resources: { limits: { cpu: '1' } } }));
    assert.deepEqual(spec.containers[0]?.resources, { limits: { cpu: '1' } });
  });

  test('completing twice changes nothing more', () => {
    const once = complete({
      hostNetwork: true,
      serviceAccount: 'robot',
      volumes: [{ name: 'v' }, { name: 'i', iscsi: { targetPortal: 'p', iqn: 'q' } }],
      ...withContainer({ ports: [{ containerPort: 80 }], readinessProbe: { tcpSocket: { port: 'web' } } }),
    });
    assert.deepEqual(complete(structuredClone(once)), once);
  });
});

const mount = (volumes: object[], ...volumeMounts: object[]) => ({ volumes, ...withContainer({ volumeMounts }) });
const probe = (livenessProbe: object) => withContainer({ livenessProbe });
const env = (...vars: object[]) => withContainer({ env: vars });
const podWith = (parts: object) => ({ containers: [main], ...parts });

type Case = [name: string, spec: object, ...causes: string[]];

const rules: Record<string, Case[]> = {
  pods: [
    ['one container is enough', { containers: [main] }],
    ['no containers', {}, 'containers Required'],
    ['an empty list of containers', { containers: [] }, 'containers Required'],
    ['a deadline of 0', podWith({ activeDeadlineSeconds: 0 }), 'activeDeadlineSeconds Invalid'],
    [
      'unknown policies',
      podWith({ restartPolicy: 'X', dnsPolicy: 'X' }),
      'restartPolicy NotSupported',
      'dnsPolicy NotSupported',
    ],
    ['a bad node name', podWith({ nodeName: 'No_Node' }), 'nodeName Invalid'],
    ['a bad service account', podWith({ serviceAccount: 'No One' }), 'serviceAccountName Invalid'],
    ['bad node labels', podWith({ nodeSelector: { 'a b': 'c!' } }), 'nodeSelector Invalid', 'nodeSelector Invalid'],
    ['pull secrets without names', podWith({ imagePullSecrets: [{}] })],
    [
      'users and groups up to 31 bits',
      podWith({ securityContext: { runAsUser: 0, fsGroup: 2 ** 31 - 1, supplementalGroups: [0, 2 ** 31 - 1] } }),
    ],
    [
      'users and groups beyond',
      podWith({ securityContext: { runAsUser: -1, fsGroup: 2 ** 31, supplementalGroups: [5, -1, 2 ** 31] } }),
      'securityContext.runAsUser Invalid',
      'securityContext.supplementalGroups[1] Invalid',
      'securityContext.supplementalGroups[2] Invalid',
      'securityContext.fsGroup Invalid',
    ],
  ],
  containers: [
    ['nothing said', { containers: [{}] }, 'containers[0].name Required', 'containers[0].image Required'],
    ['a bad name', { containers: [{ ...main, name: 'Bad' }] }, 'containers[0].name Invalid'],
    ['a name twice', { containers: [main, main] }, 'containers[1].name Duplicate'],
    [
      'a bad name twice is not twice',
      {
        containers: [
          { ...main, name: 'B' },
          { ...main, name: 'B' },
        ],
      },
      'containers[0].name Invalid',
      'containers[1].name Invalid',
    ],
    ['an unknown pull policy', withContainer({ imagePullPolicy: 'X' }), 'containers[0].imagePullPolicy NotSupported'],
    [
      'a negative user',
      withContainer({ securityContext: { runAsUser: -1 } }),
      'containers[0].securityContext.runAsUser Invalid',
    ],
    ['the root user', withContainer({ securityContext: { runAsUser: 0, privileged: true } })],
    ['a large user', withContainer({ securityContext: { runAsUser: 2 ** 40 } })],
  ],
  ports: [
    ['no number', withContainer({ ports: [{}] }), 'containers[0].ports[0].containerPort Invalid'],
    [
      'numbers out of range',
      withContainer({ ports: [{ containerPort: 65536, hostPort: -1 }] }),
      'containers[0].ports[0].hostPort Invalid',
      'containers[0].ports[0].containerPort Invalid',
    ],
    [
      'an unknown protocol',
      withContainer({ ports: [{ containerPort: 1, protocol: 'ICMP' }] }),
      'containers[0].ports[0].protocol NotSupported',
    ],
    [
      'a name of digits',
      withContainer({ ports: [{ containerPort: 1, name: '80' }] }),
      'containers[0].ports[0].name Invalid',
    ],
    [
      'a name with two dashes',
      withContainer({ ports: [{ containerPort: 1, name: 'a--b' }] }),
      'containers[0].ports[0].name Invalid',
    ],
    [
      'a long name',
      withContainer({ ports: [{ containerPort: 1, name: 'a234567890123456' }] }),
      'containers[0].ports[0].name Invalid',
    ],
    [
      'a name twice',
      withContainer({
        ports: [
          { containerPort: 1, name: 'a' },
          { containerPort: 2, name: 'a' },
        ],
      }),
      'containers[0].ports[1].name Duplicate',
    ],
    ['a number twice', withContainer({ ports: [{ containerPort: 1 }, { containerPort: 1 }] })],
    [
      'a host port twice',
      withContainer({
        ports: [
          { containerPort: 1, hostPort: 9 },
          { containerPort: 2, hostPort: 9 },
        ],
      }),
      'containers[0].ports[1].hostPort Duplicate',
    ],
    [
      'a host port for each protocol',
      withContainer({
        ports: [
          { containerPort: 1, hostPort: 9 },
          { containerPort: 1, hostPort: 9, protocol: 'UDP' },
        ],
      }),
    ],
    [
      'another host port on the host network',
      { hostNetwork: true, ...withContainer({ ports: [{ containerPort: 1, hostPort: 9 }] }) },
      'containers[0].ports[0].containerPort Invalid',
    ],
  ],
  variables: [
    [
      'values and sources',
      env(
        { name: 'A', value: 'x' },
        { name: 'B' },
        { name: 'C', valueFrom: { secretKeyRef: { name: 's', key: '.k' } } },
      ),
    ],
    ['no name', env({ value: 'x' }), 'containers[0].env[0].name Required'],
    ['a name that is none', env({ name: 'A-B' }), 'containers[0].env[0].name Invalid'],
    [
      'a value and a source',
      env({ name: 'A', value: 'x', valueFrom: { fieldRef: { fieldPath: 'metadata.name' } } }),
      'containers[0].env[0].valueFrom Invalid',
    ],
    ['an empty source', env({ name: 'A', valueFrom: {} }), 'containers[0].env[0].valueFrom Invalid'],
    ['an empty source beside a value', env({ name: 'A', value: 'x', valueFrom: {} })],
    [
      'two sources',
      env({
        name: 'A',
        valueFrom: { secretKeyRef: { name: 's', key: 'k' }, configMapKeyRef: { name: 's', key: 'k' } },
      }),
      'containers[0].env[0].valueFrom Invalid',
    ],
    [
      'a source without name and key',
      env({ name: 'A', valueFrom: { configMapKeyRef: {} } }),
      'containers[0].env[0].valueFrom.configMapKeyRef.name Required',
      'containers[0].env[0].valueFrom.configMapKeyRef.key Required',
    ],
    [
      'a key that is none',
      env({ name: 'A', valueFrom: { secretKeyRef: { name: 's', key: 'A' } } }),
      'containers[0].env[0].valueFrom.secretKeyRef.key Invalid',
    ],
    [
      'no field',
      env({ name: 'A', valueFrom: { fieldRef: {} } }),
      'containers[0].env[0].valueFrom.fieldRef.fieldPath Required',
    ],
    [
      'a field that variables cannot have',
      env({ name: 'A', valueFrom: { fieldRef: { fieldPath: 'metadata.labels' } } }),
      'containers[0].env[0].valueFrom.fieldRef.fieldPath NotSupported',
    ],
    [
      'a field that pods do not have',
      env({ name: 'A', valueFrom: { fieldRef: { fieldPath: 'spec.colour' } } }),
      'containers[0].env[0].valueFrom.fieldRef.fieldPath Invalid',
    ],
    [
      'a version that there is not',
      env({ name: 'A', valueFrom: { fieldRef: { apiVersion: 'v9', fieldPath: 'metadata.name' } } }),
      'containers[0].env[0].valueFrom.fieldRef.fieldPath Invalid',
    ],
  ],
  probes: [
    ['no action', probe({}), 'containers[0].livenessProbe Required'],
    [
      'two actions',
      probe({ exec: { command: ['x'] }, tcpSocket: { port: 1 } }),
      'containers[0].livenessProbe.tcpSocket Forbidden',
    ],
    [
      'a second action that is wrong in itself',
      probe({ httpGet: { port: 0 }, tcpSocket: { port: 0 } }),
      'containers[0].livenessProbe.httpGet.port Invalid',
      'containers[0].livenessProbe.tcpSocket Forbidden',
    ],
    ['no command', probe({ exec: {} }), 'containers[0].livenessProbe.exec.command Required'],
    ['no port', probe({ tcpSocket: {} }), 'containers[0].livenessProbe.tcpSocket.port Invalid'],
    [
      'a port name that is none',
      probe({ httpGet: { port: '80' } }),
      'containers[0].livenessProbe.httpGet.port Invalid',
    ],
    [
      'another scheme',
      probe({ httpGet: { port: 80, scheme: 'FTP' } }),
      'containers[0].livenessProbe.httpGet.scheme Invalid',
    ],
    [
      'a header that is none',
      probe({ httpGet: { port: 80, httpHeaders: [{ name: 'a b', value: 'c' }] } }),
      'containers[0].livenessProbe.httpGet.httpHeaders Invalid',
    ],
    [
      'several successes for liveness',
      probe({ exec: { command: ['x'] }, successThreshold: 2 }),
      'containers[0].livenessProbe.successThreshold Invalid',
    ],
    [
      'several successes for readiness',
      withContainer({ readinessProbe: { exec: { command: ['x'] }, successThreshold: 2 } }),
    ],
    [
      'a negative time',
      probe({ exec: { command: ['x'] }, periodSeconds: -1 }),
      'containers[0].livenessProbe.periodSeconds Invalid',
    ],
    ['an empty handler', withContainer({ lifecycle: { preStop: {} } }), 'containers[0].lifecycle.preStop Required'],
  ],
  mounts: [
    [
      'a volume twice',
      { ...mount([{ name: 'v' }, { name: 'v' }], { name: 'v', mountPath: '/a' }) },
      'volumes[1].name Duplicate',
    ],
    ['a volume in two places', mount([{ name: 'v' }], { name: 'v', mountPath: '/a' }, { name: 'v', mountPath: '/b' })],
    ['no such volume', mount([], { name: 'v', mountPath: '/a' }), 'containers[0].volumeMounts[0].name NotFound'],
    [
      'nothing said',
      mount([], {}),
      'containers[0].volumeMounts[0].name Required',
      'containers[0].volumeMounts[0].mountPath Required',
    ],
    [
      'a path with a colon',
      mount([{ name: 'v' }], { name: 'v', mountPath: '/a:b' }),
      'containers[0].volumeMounts[0].mountPath Invalid',
    ],
    [
      'two volumes at one path',
      mount([{ name: 'v' }, { name: 'w' }], { name: 'v', mountPath: '/a' }, { name: 'w', mountPath: '/a' }),
    ],
    [
      'a volume that is wrong',
      mount([{ name: 'v', secret: {} }], { name: 'v', mountPath: '/a' }),
      'volumes[0].secret.secretName Required',
      'containers[0].volumeMounts[0].name NotFound',
    ],
  ],
};

for (const [part, cases] of Object.entries(rules)) {
  describe(`rules for ${part}`, () => {
    for (const [name, spec, ...causes] of cases) {
      test(`${name}: ${causes.length === 0 ? 'is fine' : 'is refused'}`, () => assert.deepEqual(wrong(spec), causes));
    }
  });
}
