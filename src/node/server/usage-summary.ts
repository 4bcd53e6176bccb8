import { every, formatTime, type Clock, type Timer } from '../../base/clock.ts';
import type { RunningContainer, Usage } from '../runtime.ts';
import { CpuRates, rateWindowMs, type CpuRate } from './cpu-rates.ts';
import type { HostedContainer, HostedPod, HostedPods } from './hosted-pods.ts';
import { readMachineUsage } from './machine-usage.ts';

interface UsageFigures {
  readonly cpu: {
    readonly time: string;
    /** Absent until there are two readings to compare. */
    readonly usageNanoCores?: number;
    /** The span of time that the rate is taken over. */
    readonly windowSeconds?: number;
    readonly usageCoreNanoSeconds: number;
  };
  readonly memory: { readonly time: string; readonly usageBytes: number; readonly workingSetBytes: number };
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
  /** The whole machine, with all that runs on it beside pods. */
  readonly node: UsageFigures & { nodeName: string };
  readonly pods: readonly PodFigures[];
}

export interface UsageSummariesOptions {
  readonly pods: HostedPods;
  readonly clock: Clock;
  readonly nodeName: string;
  /** What the whole machine uses. */
  readonly readMachine?: () => Usage;
}

/** The counter of the machine; containers go by their ids. */
const machine = 'machine';

/** Works out how much pods use: when somebody asks, and between that now and then, so that there is always something to compare with. */
export class UsageSummaries {
  readonly #options: UsageSummariesOptions;
  readonly #rates = new CpuRates();
  readonly #timer: Timer;
  #reading: Promise<UsageSummary> | undefined;

  constructor(options: UsageSummariesOptions) {
    this.#options = options;
    this.#machineFigures(options.clock.now());
    this.#timer = every(options.clock, rateWindowMs, () => void this.read().catch(() => {}));
  }

  /** Those who ask at the same time share the answer. */
  read(): Promise<UsageSummary> {
    this.#reading ??= this.#read().finally(() => (this.#reading = undefined));
    return this.#reading;
  }

  close(): void {
    this.#timer.cancel();
  }

  async #read(): Promise<UsageSummary> {
    const { pods: hosted, clock, nodeName } = this.#options;
    const measured = new Set([machine]);
    const pods = await Promise.all(hosted.list().map((pod) => this.#podFigures(pod, measured)));
    this.#rates.keep(measured);
    return { node: { nodeName, ...this.#machineFigures(clock.now()) }, pods };
  }

  #machineFigures(now: number): UsageFigures {
    const usage = (this.#options.readMachine ?? readMachineUsage)();
    return figures(usage, now, this.#rates.add(machine, { at: now, cpuNanos: usage.cpuNanos }));
  }

  async #podFigures(hosted: HostedPod, measured: Set<string>): Promise<PodFigures> {
    const { name = '', namespace = '', uid = '' } = hosted.pod.metadata;
    const containers = await Promise.all(hosted.containers.map((each) => this.#containerFigures(each, measured)));
    return { podRef: { name, namespace, uid }, startTime: hosted.pod.status.startTime, containers: containers.flat() };
  }

  async #containerFigures({ name, current }: HostedContainer, measured: Set<string>): Promise<ContainerFigures[]> {
    const usage = await usageOf(current);
    if (!current || !usage) return [];
    const { id, startedAt } = current;
    const now = this.#options.clock.now();
    measured.add(id);
    // A container that starts anew is another one, whose counter begins again.
    const rate = this.#rates.add(id, { at: now, cpuNanos: usage.cpuNanos }, startedAt);
    return [{ name, startTime: formatTime(startedAt), ...figures(usage, now, rate) }];
  }
}

/** Nothing for a container that does not run, or whose processes cannot be looked at. */
async function usageOf(container: RunningContainer | undefined): Promise<Usage | undefined> {
  return container && !container.exit ? container.usage().catch(() => undefined) : undefined;
}

function figures({ cpuNanos, memoryBytes }: Usage, now: number, rate: CpuRate | undefined): UsageFigures {
  const time = formatTime(now);
  return {
    cpu: {
      time,
      ...(rate && { usageNanoCores: rate.nanoCores, windowSeconds: rate.windowMs / 1000 }),
      usageCoreNanoSeconds: Math.round(cpuNanos),
    },
    memory: { time, usageBytes: memoryBytes, workingSetBytes: memoryBytes },
  };
}
