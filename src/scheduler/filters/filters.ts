import { condition } from './condition.ts';
import { disks } from './disks.ts';
import type { Filter } from './filter.ts';
import { hostPorts } from './host-ports.ts';
import { nodeAffinity } from './node-affinity.ts';
import { nodeSelector } from './node-selector.ts';
import { podCount } from './pod-count.ts';
import { resources } from './resources.ts';
import { taints } from './taints.ts';
import { unschedulable } from './unschedulable.ts';
import { volumeZones } from './volume-zones.ts';

/** In the order in which they are asked; the first refusal is the one that is told. What a pod can never change about a node comes first. */
export const filters: readonly Filter[] = [
  unschedulable,
  condition,
  nodeSelector,
  nodeAffinity,
  taints,
  podCount,
  resources,
  hostPorts,
  disks,
  volumeZones,
];
