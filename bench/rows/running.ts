import { setTimeout as sleep } from 'node:timers/promises';
import { createDeployments, untilAvailable } from '../deployment.ts';
import type { Figure } from '../figure.ts';
import { cpuMs, residentBytes } from '../servers/process-figures.ts';
import { startWholeCluster, type StorageMake, type WholeCluster } from '../servers/whole-cluster.ts';
import type { Row } from './row.ts';

/** After a burst of work a process takes a moment to come to rest. */
const restMs = 2000;

interface Load {
  readonly nodes: number;
  readonly deployments: number;
  readonly replicas: number;
}

/** From the first create until the last deployment says that all of its pods are available; in milliseconds. */
interface Rollout {
  readonly ms: number;
  readonly cpuMs: number;
}

async function rollOut({ client, process }: WholeCluster, { deployments, replicas }: Load): Promise<Rollout> {
  const began = performance.now();
  const used = cpuMs(process.pid) ?? NaN;
  const all = untilAvailable(client, deployments * replicas);
  await Promise.all([createDeployments(client, deployments, replicas), all]);
  return { ms: performance.now() - began, cpuMs: (cpuMs(process.pid) ?? NaN) - used };
}

async function withCluster<T>(
  cli: string,
  { nodes }: Load,
  storage: StorageMake,
  measure: (cluster: WholeCluster) => Promise<T>,
): Promise<T> {
  const cluster = await startWholeCluster(cli, nodes, storage);
  try {
    return await measure(cluster);
  } finally {
    await cluster.close();
  }
}

const one: Load = { nodes: 100, deployments: 1, replicas: 1000 };
const many: Load = { nodes: 1000, deployments: 10, replicas: 1000 };

/** A deployment that is new to a process that has done nothing yet, as after `wherry up`. */
export const rollout: Row = {
  name: 'rollout',
  about: 'run a deployment of 1,000 pods on 100 nodes',
  async run({ cli }) {
    const { ms, cpuMs } = await withCluster(cli, one, 'memory', (cluster) => rollOut(cluster, one));
    return [
      { row: 'rollout', what: `${rollout.about}, in memory`, unit: 'ms', wherry: ms },
      { row: 'rollout', what: 'the same in processor time', unit: 'ms', wherry: cpuMs },
    ];
  },
};

export const running: Row = {
  name: 'running',
  about: 'run 10,000 pods of 10 deployments on 1,000 nodes',
  async run({ cli }) {
    const inMemory = await withCluster(cli, many, 'memory', (cluster) => measureMany(cluster, 'in memory'));
    const onDisk = await withCluster(cli, many, 'disk', (cluster) => measureMany(cluster, 'on disk'));
    return [...inMemory, ...onDisk];
  },
};

async function measureMany(cluster: WholeCluster, where: string): Promise<Figure[]> {
  const pods = many.deployments * many.replicas;
  const { ms, cpuMs } = await rollOut(cluster, many);
  await sleep(restMs);
  const megabytes = (residentBytes(cluster.process.pid) ?? NaN) / 1024 ** 2;
  const row = running.name;
  return [
    { row, what: `${running.about}, ${where}`, unit: 'pods/s', wherry: (pods / ms) * 1000, goal: '>= 300' },
    { row, what: 'the same for a second of processor time', unit: 'pods/s', wherry: (pods / cpuMs) * 1000 },
    { row, what: `resident then, ${where}`, unit: 'MB', wherry: megabytes },
  ];
}
