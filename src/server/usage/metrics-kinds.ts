import { formatTime, type Clock } from '../../base/clock.ts';
import { node as nodeKind, type Node } from '../../kinds/core/node.ts';
import { pod as podKind, type Pod } from '../../kinds/core/pod.ts';
import { isSimulated } from '../../kinds/core/simulated-node.ts';
import { apiVersionOf, type Kind } from '../../kinds/kind.ts';
import type { ApiObject, ObjectMeta } from '../../kinds/meta/object-meta.ts';
import { nodeMetrics, type NodeMetrics } from '../../kinds/metrics/node-metrics.ts';
import { podMetrics, type PodMetrics } from '../../kinds/metrics/pod-metrics.ts';
import { usageAmounts, windowText } from '../../kinds/metrics/usage-amounts.ts';
import { servedVersions } from '../../kinds/served-version.ts';
import { selfLink } from '../../registry/address.ts';
import type { ComputedKind, WantedObjects } from '../../registry/computed-kind.ts';
import type { Registry } from '../../registry/registry.ts';
import { LabelSelector } from '../../registry/selectors/label-selector.ts';
import { annotatedContainers, annotatedNothing, annotatedSums } from './annotated-metrics.ts';
import { listStored } from './list-stored.ts';
import type { NodeSummaries } from './node-summaries.ts';
import type { ContainerUsage, MeasuredUsage } from './node-summary.ts';

export interface MetricsParts {
  readonly registry: Registry;
  readonly summaries: NodeSummaries;
  readonly clock: Clock;
}

/**
 * How much nodes and pods use: what the agents of nodes have measured, and what the annotations of pods say where nothing really runs. Of what is not known
 * there is no object.
 */
export function metricsKinds(parts: MetricsParts): readonly ComputedKind[] {
  const nodes: ComputedKind<NodeMetrics> = { kind: nodeMetrics, read: (wanted) => readNodes(parts, wanted) };
  const pods: ComputedKind<PodMetrics> = { kind: podMetrics, read: (wanted) => readPods(parts, wanted) };
  return [nodes, pods];
}

async function readNodes(parts: MetricsParts, wanted: WantedObjects): Promise<NodeMetrics[]> {
  const { registry, summaries, clock } = parts;
  const now = clock.now();
  const nodes = await listStored(registry, nodeKind, wanted);
  const running = nodes.some(isSimulated) ? await runningPods(parts, everything) : [];
  const annotated = annotatedSums(running, now);
  const found = nodes.map(async (node): Promise<NodeMetrics[]> => {
    const usage = isSimulated(node)
      ? (annotated.get(node.metadata.name ?? '') ?? annotatedNothing(now))
      : (await summaries.of(node))?.node;
    return usage ? [{ ...measured(nodeMetrics, node.metadata, usage), usage: usageAmounts(usage) }] : [];
  });
  return (await Promise.all(found)).flat();
}

async function readPods(parts: MetricsParts, wanted: WantedObjects): Promise<PodMetrics[]> {
  const pods = await runningPods(parts, wanted);
  const nodes = await nodesOf(parts, pods);
  const found = pods.map(async (pod): Promise<PodMetrics[]> => {
    const containers = await containersOf(parts, pod, nodes.get(pod.spec.nodeName ?? ''));
    const [first] = containers;
    if (!first) return [];
    const usages = containers.map((container) => ({ name: container.name, usage: usageAmounts(container) }));
    return [{ ...measured(podMetrics, pod.metadata, first), containers: usages }];
  });
  return (await Promise.all(found)).flat();
}

const everything: WantedObjects = { labels: LabelSelector.everything };

async function runningPods({ registry }: MetricsParts, wanted: WantedObjects): Promise<readonly Pod[]> {
  const pods = await listStored(registry, podKind, wanted);
  return pods.filter(({ spec, status }) => status.phase === 'Running' && spec.nodeName);
}

/** The nodes that some pods are on, by name. */
async function nodesOf({ registry }: MetricsParts, pods: readonly Pod[]): Promise<ReadonlyMap<string, Node>> {
  const names = new Set(pods.map(({ spec }) => spec.nodeName));
  if (names.size === 0) return new Map();
  const [only] = names;
  const nodes = await listStored(registry, nodeKind, names.size === 1 ? { ...everything, name: only } : everything);
  return new Map(nodes.map((node) => [node.metadata.name ?? '', node]));
}

async function containersOf(
  { summaries, clock }: MetricsParts,
  pod: Pod,
  node: Node | undefined,
): Promise<readonly ContainerUsage[]> {
  if (!node || isSimulated(node)) return annotatedContainers(pod, clock.now());
  const summary = await summaries.of(node);
  return summary?.pods.get(pod.metadata.uid ?? '') ?? [];
}

/** Metrics are called as what they are about. */
function measured(
  kind: Kind,
  { name = '', namespace, labels }: ObjectMeta,
  { at, windowMs }: MeasuredUsage,
): ApiObject & { timestamp: string; window: string } {
  const time = formatTime(at);
  const link = selfLink(servedVersions(kind)[0]!, namespace, name);
  return {
    kind: kind.kind,
    apiVersion: apiVersionOf(kind),
    metadata: { name, namespace, selfLink: link, creationTimestamp: time, labels },
    timestamp: time,
    window: windowText(windowMs),
  };
}
