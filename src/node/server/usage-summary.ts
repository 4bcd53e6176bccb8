import { formatTime, type Clock } from '../../base/clock.ts';
import type { RunningContainer, Usage } from '../runtime.ts';
import type { HostedPod, HostedPods } from './hosted-pods.ts';

/** How much a container used, up to a moment. */
interface Sample {
  readonly at: number;
  readonly cpuNanos: number;
}

interface UsageFigures {
  readonly cpu: { time: string; usageNanoCores: number; usageCoreNanoSeconds: number };
  readonly memory: { time: string; usageBytes: number; workingSetBytes: number };
}

interface ContainerFigures extends UsageFigures {
  readonly name: string;
  readonly startTime: string;
}

interface PodFigures {
  readonly podRef: { name: string; namespace: string; uid: string };
  readonly startTime: string | undefined;
  readonly containers: readonly ContainerFigures[];
}

/** What the node and its pods use, in the form of the reference's `/stats/summary`. */
export interface UsageSummary {
  readonly node: UsageFigures & { nodeName: string };
  readonly pods: readonly PodFigures[];
}

/** Rates over less time than this tell more about chance than about the container. */
const shortestMs = 1000;
const nanosPerMs = 1e6;

/** Works out how much pods use. Rates are those since the last time that somebody asked, or since the container began. */
export class UsageSummaries {
  readonly #pods: HostedPods;
  readonly #clock: Clock;
  readonly #nodeName: string;
  #samples = new Map<string, Sample>();

  constructor(pods: HostedPods, clock: Clock, nodeName: string) {
    this.#pods = pods;
    this.#clock = clock;
    this.#nodeName = nodeName;
  }

  async read(): Promise<UsageSummary> {
    const now = this.#clock.now();
    const samples = new Map<string, Sample>();
    const pods = await Promise.all(this.#pods.list().map((pod) => this.#podFigures(pod, now, samples)));
    // Only what is still there is remembered.
    this.#samples = samples;
    return { node: { nodeName: this.#nodeName, ...sumOf(pods, now) }, pods };
  }

  async #podFigures(hosted: HostedPod, now: number, samples: Map<string, Sample>): Promise<PodFigures> {
    const { name = '', namespace = '', uid = '' } = hosted.pod.metadata;
    const containers: ContainerFigures[] = [];
    for (const { name, current } of hosted.containers) {
      const usage = current && !current.exit ? await current.usage().catch(() => undefined) : undefined;
      if (current && usage) containers.push(this.#containerFigures(name, current, usage, { now, samples }));
    }
    return { podRef: { name, namespace, uid }, startTime: hosted.pod.status.startTime, containers };
  }

  #containerFigures(
    name: string,
    { id, startedAt }: RunningContainer,
    { cpuNanos, memoryBytes }: Usage,
    { now, samples }: { now: number; samples: Map<string, Sample> },
  ): ContainerFigures {
    const last = this.#samples.get(id) ?? { at: startedAt, cpuNanos: 0 };
    const isLongAgo = now - last.at >= shortestMs;
    samples.set(id, isLongAgo ? { at: now, cpuNanos } : last);
    const rate = Math.max(0, (cpuNanos - last.cpuNanos) / (Math.max(now - last.at, shortestMs) * nanosPerMs));
    const time = formatTime(now);
    return {
      name,
      startTime: formatTime(startedAt),
      cpu: { time, usageNanoCores: Math.round(rate * 1e9), usageCoreNanoSeconds: Math.round(cpuNanos) },
      memory: { time, usageBytes: memoryBytes, workingSetBytes: memoryBytes },
    };
  }
}

function sumOf(pods: readonly PodFigures[], now: number): UsageFigures {
  const time = formatTime(now);
  const sum = {
    cpu: { time, usageNanoCores: 0, usageCoreNanoSeconds: 0 },
    memory: { time, usageBytes: 0, workingSetBytes: 0 },
  };
  for (const { cpu, memory } of pods.flatMap(({ containers }) => containers)) {
    sum.cpu.usageNanoCores += cpu.usageNanoCores;
    sum.cpu.usageCoreNanoSeconds += cpu.usageCoreNanoSeconds;
    sum.memory.usageBytes += memory.usageBytes;
    sum.memory.workingSetBytes += memory.workingSetBytes;
  }
  return sum;
}
