import type { SentBody } from './sent-body.ts';

/** What kubectl 1.32 sent for these commands, byte by byte, and the JSON that says the same. */
export const kubectlBodies: readonly SentBody[] = [
  {
    command: 'kubectl create namespace demo',
    path: '/api/v1/namespaces',
    base64: 'azhzAAoPCgJ2MRIJTmFtZXNwYWNlEhwKFAoEZGVtbxIAGgAiACoAMgA4AEIAEgAaAgoAGgAiAA==',
    json: { kind: 'Namespace', apiVersion: 'v1', metadata: { name: 'demo' } },
  },
  {
    command: 'kubectl create deployment web --image=nginx:1.2 --replicas=3 --port=80',
    path: '/apis/apps/v1/namespaces/default/deployments',
    base64: [
      'azhzAAoVCgdhcHBzL3YxEgpEZXBsb3ltZW50ErwBCh8KA3dlYhIAGgAiACoAMgA4AEIAWgoKA2FwcBIDd2ViEooBCAMSDAoKCgNh',
      'cHASA3dlYhpwChwKABIAGgAiACoAMgA4AEIAWgoKA2FwcBIDd2ViElASMgoFbmdpbngSCW5naW54OjEuMioAMgoKABAAGFAiACoA',
      'QgBqAHIAgAEAiAEAkAEAogEAGgAyAEIASgBSAFgAYABoAIIBAIoBAJoBAMIBACICCgAoADgAGgwIABAAGAAgACgAOAAaACIA',
    ].join(''),
    json: {
      kind: 'Deployment',
      apiVersion: 'apps/v1',
      metadata: { name: 'web', labels: { app: 'web' } },
      spec: {
        replicas: 3,
        selector: { matchLabels: { app: 'web' } },
        template: {
          metadata: { labels: { app: 'web' } },
          spec: { containers: [{ name: 'nginx', image: 'nginx:1.2', ports: [{ containerPort: 80 }] }] },
        },
      },
    },
  },
  {
    command: 'kubectl create configmap cfg --from-literal=a=b --from-literal=c=',
    path: '/api/v1/namespaces/default/configmaps',
    base64: 'azhzAAoPCgJ2MRIJQ29uZmlnTWFwEiQKEwoDY2ZnEgAaACIAKgAyADgAQgASBgoBYRIBYhIFCgFjEgAaACIA',
    json: { kind: 'ConfigMap', apiVersion: 'v1', metadata: { name: 'cfg' }, data: { a: 'b', c: '' } },
  },
  {
    command: 'kubectl create secret generic sec --from-literal=p=geheim',
    path: '/api/v1/namespaces/default/secrets',
    base64: 'azhzAAoMCgJ2MRIGU2VjcmV0EiQKEwoDc2VjEgAaACIAKgAyADgAQgASCwoBcBIGZ2VoZWltGgAaACIA',
    json: { kind: 'Secret', apiVersion: 'v1', metadata: { name: 'sec' }, data: { p: 'Z2VoZWlt' } },
  },
  {
    command: 'kubectl create job j --image=busybox -- echo hi',
    path: '/apis/batch/v1/namespaces/default/jobs',
    base64: [
      'azhzAAoPCghiYXRjaC92MRIDSm9iEoIBChEKAWoSABoAIgAqADIAOABCABJjMmEKEAoAEgAaACIAKgAyADgAQgASTRIqCgFqEgdi',
      'dXN5Ym94GgRlY2hvGgJoaSoAQgBqAHIAgAEAiAEAkAEAogEAGgVOZXZlcjIAQgBKAFIAWABgAGgAggEAigEAmgEAwgEAGgggACgA',
      'MAA6ABoAIgA=',
    ].join(''),
    json: {
      kind: 'Job',
      apiVersion: 'batch/v1',
      metadata: { name: 'j' },
      spec: {
        template: {
          spec: { restartPolicy: 'Never', containers: [{ name: 'j', image: 'busybox', command: ['echo', 'hi'] }] },
        },
      },
    },
  },
  {
    command: "kubectl create ingress ing --rule='foo.com/bar*=svc1:8080,tls=my-cert' --default-backend=d:http",
    path: '/apis/networking.k8s.io/v1/namespaces/default/ingresses',
    base64: [
      'azhzAAofChRuZXR3b3JraW5nLms4cy5pby92MRIHSW5ncmVzcxJwChMKA2luZxIAGgAiACoAMgA4AEIAElUKDyINCgFkEggKBGh0',
      'dHAQABISCgdmb28uY29tEgdteS1jZXJ0Gi4KB2Zvby5jb20SIwohCh8KBC9iYXISDyINCgRzdmMxEgUKABCQPxoGUHJlZml4GgIK',
      'ABoAIgA=',
    ].join(''),
    json: {
      kind: 'Ingress',
      apiVersion: 'networking.k8s.io/v1',
      metadata: { name: 'ing' },
      spec: {
        defaultBackend: { service: { name: 'd', port: { name: 'http' } } },
        tls: [{ hosts: ['foo.com'], secretName: 'my-cert' }],
        rules: [
          {
            host: 'foo.com',
            http: {
              paths: [
                { path: '/bar', pathType: 'Prefix', backend: { service: { name: 'svc1', port: { number: 8080 } } } },
              ],
            },
          },
        ],
      },
    },
  },
  {
    command: 'kubectl create role r --verb=get,list --resource=pods --resource-name=x',
    path: '/apis/rbac.authorization.k8s.io/v1/namespaces/default/roles',
    base64: [
      'azhzAAokChxyYmFjLmF1dGhvcml6YXRpb24uazhzLmlvL3YxEgRSb2xlEisKEQoBchIAGgAiACoAMgA4AEIAEhYKA2dldAoEbGlz',
      'dBIAGgRwb2RzIgF4GgAiAA==',
    ].join(''),
    json: {
      kind: 'Role',
      apiVersion: 'rbac.authorization.k8s.io/v1',
      metadata: { name: 'r' },
      rules: [{ verbs: ['get', 'list'], apiGroups: [''], resources: ['pods'], resourceNames: ['x'] }],
    },
  },
  {
    command: 'kubectl create rolebinding rb --role=r --user=ann --serviceaccount=default:default',
    path: '/apis/rbac.authorization.k8s.io/v1/namespaces/default/rolebindings',
    base64: [
      'azhzAAorChxyYmFjLmF1dGhvcml6YXRpb24uazhzLmlvL3YxEgtSb2xlQmluZGluZxKKAQoSCgJyYhIAGgAiACoAMgA4AEIAEigK',
      'BFVzZXISGXJiYWMuYXV0aG9yaXphdGlvbi5rOHMuaW8aA2FubiIAEiQKDlNlcnZpY2VBY2NvdW50EgAaB2RlZmF1bHQiB2RlZmF1',
      'bHQaJAoZcmJhYy5hdXRob3JpemF0aW9uLms4cy5pbxIEUm9sZRoBchoAIgA=',
    ].join(''),
    json: {
      kind: 'RoleBinding',
      apiVersion: 'rbac.authorization.k8s.io/v1',
      metadata: { name: 'rb' },
      subjects: [
        { kind: 'User', apiGroup: 'rbac.authorization.k8s.io', name: 'ann' },
        { kind: 'ServiceAccount', name: 'default', namespace: 'default' },
      ],
      roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'Role', name: 'r' },
    },
  },
  {
    command: "kubectl create clusterrole cr --verb=get --non-resource-url='/logs/*'",
    path: '/apis/rbac.authorization.k8s.io/v1/clusterroles',
    base64: [
      'azhzAAorChxyYmFjLmF1dGhvcml6YXRpb24uazhzLmlvL3YxEgtDbHVzdGVyUm9sZRIkChIKAmNyEgAaACIAKgAyADgAQgASDgoD',
      'Z2V0KgcvbG9ncy8qGgAiAA==',
    ].join(''),
    json: {
      kind: 'ClusterRole',
      apiVersion: 'rbac.authorization.k8s.io/v1',
      metadata: { name: 'cr' },
      rules: [{ verbs: ['get'], nonResourceURLs: ['/logs/*'] }],
    },
  },
  {
    command: 'kubectl create clusterrole agg --aggregation-rule=a=b',
    path: '/apis/rbac.authorization.k8s.io/v1/clusterroles',
    base64: [
      'azhzAAorChxyYmFjLmF1dGhvcml6YXRpb24uazhzLmlvL3YxEgtDbHVzdGVyUm9sZRIhChMKA2FnZxIAGgAiACoAMgA4AEIAGgoK',
      'CAoGCgFhEgFiGgAiAA==',
    ].join(''),
    json: {
      kind: 'ClusterRole',
      apiVersion: 'rbac.authorization.k8s.io/v1',
      metadata: { name: 'agg' },
      aggregationRule: { clusterRoleSelectors: [{ matchLabels: { a: 'b' } }] },
    },
  },
  {
    command: 'kubectl create clusterrolebinding crb --clusterrole=cr --group=g',
    path: '/apis/rbac.authorization.k8s.io/v1/clusterrolebindings',
    base64: [
      'azhzAAoyChxyYmFjLmF1dGhvcml6YXRpb24uazhzLmlvL3YxEhJDbHVzdGVyUm9sZUJpbmRpbmcSbAoTCgNjcmISABoAIgAqADIA',
      'OABCABInCgVHcm91cBIZcmJhYy5hdXRob3JpemF0aW9uLms4cy5pbxoBZyIAGiwKGXJiYWMuYXV0aG9yaXphdGlvbi5rOHMuaW8S',
      'C0NsdXN0ZXJSb2xlGgJjchoAIgA=',
    ].join(''),
    json: {
      kind: 'ClusterRoleBinding',
      apiVersion: 'rbac.authorization.k8s.io/v1',
      metadata: { name: 'crb' },
      subjects: [{ kind: 'Group', apiGroup: 'rbac.authorization.k8s.io', name: 'g' }],
      roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'cr' },
    },
  },
  {
    command: 'kubectl create quota q --hard=cpu=1,memory=1Gi,pods=2',
    path: '/api/v1/namespaces/default/resourcequotas',
    base64: [
      'azhzAAoTCgJ2MRINUmVzb3VyY2VRdW90YRJBChEKAXESABoAIgAqADIAOABCABIqCgoKA2NwdRIDCgExCg8KBm1lbW9yeRIFCgMx',
      'R2kKCwoEcG9kcxIDCgEyGgAaACIA',
    ].join(''),
    json: {
      kind: 'ResourceQuota',
      apiVersion: 'v1',
      metadata: { name: 'q' },
      spec: { hard: { cpu: '1', memory: '1Gi', pods: '2' } },
    },
  },
  {
    command: 'kubectl create quota q2 --hard=pods=2 --scopes=NotTerminating',
    path: '/api/v1/namespaces/default/resourcequotas',
    base64: [
      'azhzAAoTCgJ2MRINUmVzb3VyY2VRdW90YRI1ChIKAnEyEgAaACIAKgAyADgAQgASHQoLCgRwb2RzEgMKATISDk5vdFRlcm1pbmF0',
      'aW5nGgAaACIA',
    ].join(''),
    json: {
      kind: 'ResourceQuota',
      apiVersion: 'v1',
      metadata: { name: 'q2' },
      spec: { hard: { pods: '2' }, scopes: ['NotTerminating'] },
    },
  },
  {
    command: 'kubectl create service clusterip svc --tcp=80:8080',
    path: '/api/v1/namespaces/default/services',
    base64: [
      'azhzAAoNCgJ2MRIHU2VydmljZRJpCh8KA3N2YxIAGgAiACoAMgA4AEIAWgoKA2FwcBIDc3ZjEkIKGwoHODAtODA4MBIDVENQGFAi',
      'BwgAEJA/GgAoABIKCgNhcHASA3N2YxoAIglDbHVzdGVySVA6AEIAUgBaAGAAaAAaAgoAGgAiAA==',
    ].join(''),
    json: {
      kind: 'Service',
      apiVersion: 'v1',
      metadata: { name: 'svc', labels: { app: 'svc' } },
      spec: {
        type: 'ClusterIP',
        selector: { app: 'svc' },
        ports: [{ name: '80-8080', protocol: 'TCP', port: 80, targetPort: 8080 }],
      },
    },
  },
  {
    command: 'kubectl create service nodeport np --tcp=80:http --node-port=30080',
    path: '/api/v1/namespaces/default/services',
    base64: [
      'azhzAAoNCgJ2MRIHU2VydmljZRJqCh0KAm5wEgAaACIAKgAyADgAQgBaCQoDYXBwEgJucBJFCiAKBzgwLWh0dHASA1RDUBhQIgoI',
      'ARAAGgRodHRwKIDrARIJCgNhcHASAm5wGgAiCE5vZGVQb3J0OgBCAFIAWgBgAGgAGgIKABoAIgA=',
    ].join(''),
    json: {
      kind: 'Service',
      apiVersion: 'v1',
      metadata: { name: 'np', labels: { app: 'np' } },
      spec: {
        type: 'NodePort',
        selector: { app: 'np' },
        ports: [{ name: '80-http', protocol: 'TCP', port: 80, targetPort: 'http', nodePort: 30080 }],
      },
    },
  },
  {
    command: 'kubectl create serviceaccount acc',
    path: '/api/v1/namespaces/default/serviceaccounts',
    base64: 'azhzAAoUCgJ2MRIOU2VydmljZUFjY291bnQSFQoTCgNhY2MSABoAIgAqADIAOABCABoAIgA=',
    json: { kind: 'ServiceAccount', apiVersion: 'v1', metadata: { name: 'acc' } },
  },
  {
    command: 'kubectl auth can-i get pods',
    path: '/apis/authorization.k8s.io/v1/selfsubjectaccessreviews',
    base64: [
      'azhzAAoyChdhdXRob3JpemF0aW9uLms4cy5pby92MRIXU2VsZlN1YmplY3RBY2Nlc3NSZXZpZXcSPAoQCgASABoAIgAqADIAOABC',
      'ABIeChwKB2RlZmF1bHQSA2dldBoAIgAqBHBvZHMyADoAGggIABIAGgAgABoAIgA=',
    ].join(''),
    json: {
      kind: 'SelfSubjectAccessReview',
      apiVersion: 'authorization.k8s.io/v1',
      spec: { resourceAttributes: { namespace: 'default', verb: 'get', resource: 'pods' } },
    },
  },
  {
    command: 'kubectl auth can-i get /logs',
    path: '/apis/authorization.k8s.io/v1/selfsubjectaccessreviews',
    base64: [
      'azhzAAoyChdhdXRob3JpemF0aW9uLms4cy5pby92MRIXU2VsZlN1YmplY3RBY2Nlc3NSZXZpZXcSLAoQCgASABoAIgAqADIAOABC',
      'ABIOEgwKBS9sb2dzEgNnZXQaCAgAEgAaACAAGgAiAA==',
    ].join(''),
    json: {
      kind: 'SelfSubjectAccessReview',
      apiVersion: 'authorization.k8s.io/v1',
      spec: { nonResourceAttributes: { path: '/logs', verb: 'get' } },
    },
  },
  {
    command: 'kubectl auth can-i --list',
    path: '/apis/authorization.k8s.io/v1/selfsubjectrulesreviews',
    base64: [
      'azhzAAoxChdhdXRob3JpemF0aW9uLms4cy5pby92MRIWU2VsZlN1YmplY3RSdWxlc1JldmlldxIjChAKABIAGgAiACoAMgA4AEIA',
      'EgkKB2RlZmF1bHQaBBgAIgAaACIA',
    ].join(''),
    json: { kind: 'SelfSubjectRulesReview', apiVersion: 'authorization.k8s.io/v1', spec: { namespace: 'default' } },
  },
  {
    command: 'kubectl auth whoami',
    path: '/apis/authentication.k8s.io/v1/selfsubjectreviews',
    base64: [
      'azhzAAotChhhdXRoZW50aWNhdGlvbi5rOHMuaW8vdjESEVNlbGZTdWJqZWN0UmV2aWV3EhoKEAoAEgAaACIAKgAyADgAQgASBgoE',
      'CgASABoAIgA=',
    ].join(''),
    json: { kind: 'SelfSubjectReview', apiVersion: 'authentication.k8s.io/v1' },
  },
  {
    command: 'kubectl autoscale deployment web --min=1 --max=5 --cpu-percent=50',
    path: '/apis/autoscaling/v1/namespaces/default/horizontalpodautoscalers',
    base64: [
      'azhzAAopCg5hdXRvc2NhbGluZy92MRIXSG9yaXpvbnRhbFBvZEF1dG9zY2FsZXISPwoTCgN3ZWISABoAIgAqADIAOABCABIiChoK',
      'CkRlcGxveW1lbnQSA3dlYhoHYXBwcy92MRABGAUgMhoEGAAgABoAIgA=',
    ].join(''),
    json: {
      kind: 'HorizontalPodAutoscaler',
      apiVersion: 'autoscaling/v1',
      metadata: { name: 'web' },
      spec: {
        scaleTargetRef: { kind: 'Deployment', name: 'web', apiVersion: 'apps/v1' },
        minReplicas: 1,
        maxReplicas: 5,
        targetCPUUtilizationPercentage: 50,
      },
    },
  },
];
