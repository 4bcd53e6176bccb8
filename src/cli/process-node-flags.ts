import { X509Certificate } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { homedir } from 'node:os';
import { join, resolve } from 'node:path';
import type { KeptPair } from '../access/certificates/kept-pair.ts';
import type { Clock } from '../base/clock.ts';
import type { Logger } from '../base/logger.ts';
import type { HttpAccess } from '../client/http-access.ts';
import type { ProcessNodeOptions } from '../cluster/process-node.ts';
import { ipAddress, port, text, wholeNumber } from './flag-values.ts';
import { optionalFlag, switchFlag, type FlagValues } from './flag.ts';
import { UsageError } from './usage-error.ts';

const section = 'Node with real processes';

/** What a node understands whose pods are processes. None has a value of its own unless it is given, so that those given for nothing can be refused. */
export const processNodeFlags = {
  dataDir: optionalFlag('data-dir', text('DIR'), {
    section,
    help: 'Keep containers, logs, volumes and the certificate in this directory. One node at a time can have it.',
    shows: '~/.wherry/nodes/NAME',
  }),
  imageMap: optionalFlag('image-map', text('FILE'), {
    section,
    help: 'What images stand for; read again when it changes.',
  }),
  address: optionalFlag('address', ipAddress, {
    section,
    help: 'Address that the node serves on and that it tells the server.',
    shows: '127.0.0.1',
  }),
  port: optionalFlag('port', port, {
    section,
    help: 'Port that the node serves on; 0 picks a free one.',
    shows: '0',
  }),
  maxPods: optionalFlag('max-pods', wholeNumber({ min: 1, max: 100_000 }), {
    section,
    help: 'How many pods the node takes.',
    shows: '110',
  }),
  tlsCertFile: optionalFlag('tls-cert-file', text('FILE'), {
    section,
    help: 'Certificate that the node serves with, as PEM; read again when it changes. The node makes and renews one of its own without it.',
  }),
  tlsPrivateKeyFile: optionalFlag('tls-private-key-file', text('FILE'), {
    section,
    help: 'The key of that certificate, as PEM.',
  }),
  clientCaFile: optionalFlag('client-ca-file', text('FILE'), {
    section,
    help: 'Authority that signs what the API server shows to the node, as PEM; nobody else is let in.',
    shows: 'that of the kubeconfig file',
  }),
  stopPods: switchFlag('stop-pods', {
    section,
    help: 'Stop everything that runs when the node is stopped. Without it containers go on, and the next start with the same directory takes them up.',
  }),
};

export type ProcessNodeFlagValues = FlagValues<typeof processNodeFlags>;

/** Refuses what means nothing to a node that only pretends. */
export function refuseProcessFlags(values: ProcessNodeFlagValues): void {
  const keys = Object.keys(processNodeFlags) as (keyof typeof processNodeFlags)[];
  const given = keys.filter((key) => values[key] !== processNodeFlags[key].initial);
  if (given.length === 0) return;
  throw new UsageError(given.map((key) => `--${processNodeFlags[key].name} goes with --runtime process`));
}

export type ProcessNodeSettings = Omit<
  ProcessNodeOptions,
  'client' | 'clock' | 'ids' | 'logger' | 'signal' | 'keepPair'
> & {
  readonly pair: KeptPair;
};

export interface ProcessNodeContext {
  readonly name: string;
  readonly access: HttpAccess;
  readonly clock: Clock;
  readonly logger: Logger;
}

/** What the flags say, with the files that they name. Throws `UsageError` where that cannot be. */
export async function processNodeSettings(
  values: ProcessNodeFlagValues,
  context: ProcessNodeContext,
): Promise<ProcessNodeSettings> {
  const { name, access } = context;
  await checkName(name);
  const address = values.address ?? '127.0.0.1';
  if (address === '0.0.0.0' || address === '::') {
    throw new UsageError([
      `--address ${address}: the server could not reach the node there; give one of this machine's`,
    ]);
  }
  const directory = resolve(values.dataDir ?? join(homedir(), '.wherry', 'nodes', name));
  const authority = await clientAuthority(values, access);
  return {
    name,
    directory,
    imageMap: values.imageMap,
    address,
    port: values.port ?? 0,
    maxPods: values.maxPods,
    pair: await servingPair(values, { ...context, address, directory }).catch(usageError),
    authority: () => authority,
    apiServer: apiServerOf(access),
    stopsPods: values.stopPods,
  };
}

/** Before anything is made of it, such as a directory. */
async function checkName(name: string): Promise<void> {
  const { checkNodeName } = await import('../access/certificates/node-pair.ts');
  try {
    checkNodeName(name);
  } catch (cause) {
    throw new UsageError([`--name: ${(cause as Error).message}`], { cause });
  }
}

async function clientAuthority({ clientCaFile }: ProcessNodeFlagValues, { authority }: HttpAccess): Promise<string> {
  if (clientCaFile === undefined) {
    if (authority !== undefined) return authority;
    throw new UsageError([
      'the kubeconfig names no authority by which the node could know the API server; give one with --client-ca-file',
    ]);
  }
  try {
    const certificate = await readFile(clientCaFile, 'utf8');
    if (!new X509Certificate(certificate).ca) throw new Error('the certificate in it may not sign others');
    return certificate;
  } catch (cause) {
    const why = (cause as Error).message;
    throw new UsageError([`--client-ca-file: ${clientCaFile} holds no certificate of an authority: ${why}`], { cause });
  }
}

interface PairContext extends ProcessNodeContext {
  readonly address: string;
  readonly directory: string;
}

async function servingPair(values: ProcessNodeFlagValues, context: PairContext): Promise<KeptPair> {
  const { tlsCertFile, tlsPrivateKeyFile } = values;
  const { followPairFiles, keepOwnNodePair } = await import('../access/certificates/node-pair.ts');
  if (tlsCertFile !== undefined && tlsPrivateKeyFile !== undefined) {
    return followPairFiles(tlsCertFile, tlsPrivateKeyFile);
  }
  if (tlsCertFile !== undefined || tlsPrivateKeyFile !== undefined) {
    throw new UsageError(['--tls-cert-file and --tls-private-key-file are given together or not at all']);
  }
  const { directoryPairStore } = await import('../access/certificates/pair-store.ts');
  const { name, address, directory, clock, logger } = context;
  return keepOwnNodePair(name, [address], { store: directoryPairStore(join(directory, 'pki')), clock, logger });
}

/** Files and names are read by whoever needs them; what they find wrong is the caller's mistake. */
function usageError(cause: unknown): never {
  throw cause instanceof RangeError ? new UsageError([cause.message], { cause }) : cause;
}

/** Pods speak TLS with the server, or find it at the address of its service. */
function apiServerOf({ server }: HttpAccess): ProcessNodeOptions['apiServer'] {
  const { protocol, hostname, port } = new URL(server);
  if (protocol !== 'https:') return undefined;
  return { host: hostname.replace(/^\[(.*)\]$/, '$1'), port: Number(port || 443) };
}
