import { homedir } from 'node:os';
import { join, resolve } from 'node:path';
import { authorizationModes, defaultAuthorization } from '../access/authz/mode-names.ts';
import type { ClusterOptions, StorageChoice } from '../cluster-options.ts';
import { defaultHistoryBounds } from '../storage/storage.ts';
import { auditFlags, auditOptionsFrom } from './audit-flags.ts';
import { byteSize, duration, ipAddress, ipNetwork, nameList, port, portRange } from './flag-values.ts';
import { text, wholeNumber } from './flag-values.ts';
import { flagWithDefault, optionalFlag, switchFlag, type FlagValues } from './flag.ts';
import { outputFlags } from './output-flags.ts';
import { UsageError } from './usage-error.ts';

const count = wholeNumber({ min: 0, max: Number.MAX_SAFE_INTEGER });

const storageFlags = {
  dataDir: optionalFlag('data-dir', text('DIR'), {
    section: 'Storage',
    help: 'Keep objects and certificates in this directory.',
    shows: '~/.wherry',
  }),
  memory: switchFlag('memory', { section: 'Storage', help: 'Keep everything in memory; it is gone at the end.' }),
  etcdServers: optionalFlag(
    'etcd-servers',
    { ...nameList, placeholder: 'URLS' },
    {
      section: 'Storage',
      help: 'Keep objects in this etcd instead, as other servers of the same cluster do; URLs with commas between them.',
    },
  ),
  etcdPrefix: flagWithDefault('etcd-prefix', text('PREFIX'), '/registry', {
    section: 'Storage',
    help: 'What keys in etcd begin with; another one is put before /registry.',
  }),
  etcdCafile: optionalFlag('etcd-cafile', text('FILE'), {
    section: 'Storage',
    help: 'Authority that signed the certificates of etcd, as PEM.',
  }),
  etcdCertfile: optionalFlag('etcd-certfile', text('FILE'), {
    section: 'Storage',
    help: 'Certificate to show to etcd, as PEM.',
  }),
  etcdKeyfile: optionalFlag('etcd-keyfile', text('FILE'), {
    section: 'Storage',
    help: 'Private key of that certificate, as PEM.',
  }),
  historyCount: flagWithDefault('history-count', count, String(defaultHistoryBounds.count), {
    section: 'Storage',
    help: 'Changes that are kept for watches to start from.',
  }),
  historyBytes: flagWithDefault('history-bytes', byteSize, `${defaultHistoryBounds.bytes / 1024 ** 2}Mi`, {
    section: 'Storage',
    help: 'Most that kept changes may take.',
  }),
  historyAge: flagWithDefault('history-age', duration, `${defaultHistoryBounds.ageMs / 60_000}m`, {
    section: 'Storage',
    help: 'How long changes are kept.',
  }),
};

const servingFlags = {
  bindAddress: flagWithDefault('bind-address', ipAddress, '127.0.0.1', {
    section: 'Serving',
    help: 'Address to serve TLS on; 0.0.0.0 for all of this machine.',
  }),
  securePort: flagWithDefault('secure-port', port, '6443', {
    section: 'Serving',
    help: 'Port to serve TLS on; 0 picks a free one.',
  }),
  insecurePort: flagWithDefault('insecure-port', port, '0', {
    section: 'Serving',
    help: 'Also serve plain HTTP on this port of 127.0.0.1, with everything allowed to everybody on this machine; 0 for not at all.',
  }),
  kubeconfig: optionalFlag('kubeconfig', text('FILE'), {
    section: 'Serving',
    help: 'Write the way in to this kubeconfig file; what else is in it stays.',
  }),
  maxRequestsInflight: flagWithDefault('max-requests-inflight', count, '400', {
    section: 'Serving',
    help: 'Requests served at once before others are told to come back; 0 for no bound.',
  }),
};

const accessFlags = {
  tokenAuthFile: optionalFlag('token-auth-file', text('FILE'), {
    section: 'Access',
    help: 'Bearer tokens, as lines of token,user,uid,"group1,group2".',
  }),
  anonymousAuth: switchFlag(
    'anonymous-auth',
    {
      section: 'Access',
      help: 'Take requests without credentials, which may see little more than whether the server is well.',
      shows: 'true',
    },
    true,
  ),
  authorizationMode: flagWithDefault('authorization-mode', nameList, defaultAuthorization.join(','), {
    section: 'Access',
    help: `Who decides what is allowed, with commas between them: ${authorizationModes.join(', ')}.`,
  }),
  authorizationPolicyFile: optionalFlag('authorization-policy-file', text('FILE'), {
    section: 'Access',
    help: 'What the mode ABAC allows, as lines of JSON.',
  }),
  serviceAccountKeyFile: optionalFlag('service-account-key-file', text('FILE'), {
    section: 'Access',
    help: 'Private key that tokens of service accounts are signed with, as PEM; further keys in it only check.',
  }),
  serviceAccountIssuer: optionalFlag('service-account-issuer', text('NAME'), {
    section: 'Access',
    help: 'Who signs tokens of service accounts, as they name it.',
    shows: 'https://kubernetes.default.svc',
  }),
  kubeletCertificateAuthority: optionalFlag('kubelet-certificate-authority', text('FILE'), {
    section: 'Access',
    help: 'Authority that must have signed the certificates of nodes, as PEM; without it any certificate will do.',
  }),
  admissionControl: optionalFlag('admission-control', nameList, {
    section: 'Access',
    help: 'Admission plugins, in order, with commas between them.',
  }),
};

const networkFlags = {
  serviceClusterIpRange: optionalFlag('service-cluster-ip-range', ipNetwork, {
    section: 'Services',
    help: 'Network that services get their addresses from.',
    shows: '10.0.0.0/16',
  }),
  serviceNodePortRange: flagWithDefault('service-node-port-range', portRange, '30000-32767', {
    section: 'Services',
    help: 'Ports that services of type NodePort get.',
  }),
};

/** What every command that serves the API understands. */
export const serverFlags = {
  ...storageFlags,
  ...servingFlags,
  ...accessFlags,
  ...networkFlags,
  ...auditFlags,
  ...outputFlags,
};

export type ServerFlagValues = FlagValues<typeof serverFlags>;

/** The options of the cluster that these flags describe; throws `UsageError` where they contradict each other. */
export function clusterOptionsFrom(values: ServerFlagValues): ClusterOptions {
  return {
    storage: chooseStorage(values),
    history: { count: values.historyCount, bytes: values.historyBytes, ageMs: values.historyAge },
    bindAddress: values.bindAddress,
    securePort: values.securePort,
    insecurePort: values.insecurePort || undefined,
    tokenAuthFile: values.tokenAuthFile,
    anonymousAuth: values.anonymousAuth,
    authorizationMode: values.authorizationMode,
    authorizationPolicyFile: values.authorizationPolicyFile,
    serviceAccountKeyFile: values.serviceAccountKeyFile,
    serviceAccountIssuer: values.serviceAccountIssuer,
    kubeletCertificateAuthority: values.kubeletCertificateAuthority,
    admissionControl: values.admissionControl,
    maxRequestsInflight: values.maxRequestsInflight,
    serviceClusterIpRange: values.serviceClusterIpRange,
    serviceNodePortRange: values.serviceNodePortRange,
    audit: auditOptionsFrom(values),
  };
}

function chooseStorage(values: ServerFlagValues): StorageChoice {
  const { memory, dataDir, etcdServers } = values;
  if (memory && dataDir !== undefined) throw new UsageError(['--memory and --data-dir exclude each other']);
  if (memory && etcdServers !== undefined) throw new UsageError(['--memory and --etcd-servers exclude each other']);
  if (memory) return { make: 'memory' };
  const directory = resolve(dataDir ?? join(homedir(), '.wherry'));
  if (etcdServers === undefined) {
    const isForEtcd = values.etcdCafile ?? values.etcdCertfile ?? values.etcdKeyfile;
    if (isForEtcd !== undefined) throw new UsageError(['files for etcd need --etcd-servers, too']);
    return { make: 'lmdb', directory };
  }
  return {
    make: 'etcd',
    servers: etcdServers,
    prefix: values.etcdPrefix,
    authorityFile: values.etcdCafile,
    certificateFile: values.etcdCertfile,
    keyFile: values.etcdKeyfile,
    directory,
  };
}
