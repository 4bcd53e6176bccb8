import type { Duplex, Readable, Writable } from 'node:stream';
import type { Pod } from '../kinds/core/pod.ts';
import type { Container } from '../kinds/core/pod/container.ts';

/**
 * What runs containers. A runtime knows processes, files and addresses, nothing of restart policies, probes or the API: the agent decides what runs, the
 * runtime makes it so. Containers outlive the runtime object: `list` of the next one finds them again.
 */
export interface Runtime {
  /** As node status shows it, e.g. `process://0.1.0`. */
  readonly version: string;

  /** Gives a pod its address and its directory; the same again when it has them. Fails with `RuntimeError`. */
  preparePod(pod: Pod): Promise<PodPlace>;

  /** Frees what a pod was given. Its containers have ended. */
  releasePod(pod: PodId): Promise<void>;

  /** Frees what pods other than these were given that have no containers: they went while no agent was there. */
  releaseOthers(known: ReadonlySet<string>): Promise<void>;

  /** Makes sure that an image can be run. Fails with `ErrImagePull` and what to do about it. */
  pull(container: Container): Promise<PulledImage>;

  /** Resolves when the program runs. Of the container's attempts before, the last one that ended stays for its log; older ones are removed. */
  start(plan: ContainerPlan): Promise<RunningContainer>;

  /**
   * Opens a connection to what listens on a port of a pod, at its address or only for itself at the loopback address. It leads to programs of this pod
   * and to nobody else, also where pods share the network of the machine; a pod on the host's network has the ports of the host. Each side of it
   * ends on its own. Fails with a message that says why nothing is reached.
   */
  connect(pod: Pod, port: number, signal: AbortSignal): Promise<Duplex>;

  /** Every container that is there, running or ended and not removed. */
  list(): Promise<readonly RunningContainer[]>;

  /** Ends everything that belongs to this object; containers go on. */
  close(): Promise<void>;
}

export interface PodId {
  readonly namespace: string;
  readonly name: string;
  readonly uid: string;
}

/** Where a pod lives. */
export interface PodPlace {
  readonly ip: string;
  /** For volumes and logs; goes with the pod. */
  readonly directory: string;
  /** Whether its programs have all ports for themselves; they share them with the host otherwise. */
  readonly hasOwnPorts?: boolean;
}

export interface PulledImage {
  /** Names exactly what will run. */
  readonly id: string;
}

/** One start of one container, with everything resolved. */
export interface ContainerPlan {
  readonly pod: PodId;
  readonly place: PodPlace;
  readonly container: Container;
  readonly image: PulledImage;
  /** 0 for the first start, then one more each time. */
  readonly attempt: number;
  /** All variables, references and services resolved. */
  readonly environment: Readonly<Record<string, string>>;
  /** Command and args with `$(VAR)` expanded; empty for what the image says. */
  readonly command: readonly string[];
  readonly args: readonly string[];
  readonly mounts: readonly Mount[];
  /** User id to run as, from the container or its pod; that of the runtime unless given. */
  readonly user?: number;
  /** Whether it must not run as root, whoever that is by. */
  readonly mustNotBeRoot?: boolean;
  /** Further groups that the processes belong to: the pod's supplementalGroups and fsGroup. */
  readonly groups?: readonly number[];
}

/** A directory or file of the host that appears inside the container. */
export interface Mount {
  readonly hostPath: string;
  readonly containerPath: string;
  readonly readOnly: boolean;
}

export interface ContainerExit {
  readonly code: number;
  readonly signal?: string;
  readonly finishedAt: number;
  /** What the container left at its terminationMessagePath. */
  readonly message?: string;
  /** `OOMKilled`, `Error`, `Completed`, ... */
  readonly reason: string;
}

export interface Usage {
  /** Nanoseconds of processor time since the start. */
  readonly cpuNanos: number;
  readonly memoryBytes: number;
}

/** A container that was started. */
export interface RunningContainer {
  /** As statuses show it, the runtime's name in front: `process://5f0c...`. */
  readonly id: string;
  readonly pod: PodId;
  readonly name: string;
  readonly attempt: number;
  readonly imageId: string;
  readonly startedAt: number;
  /** What was asked for and cannot be given here, such as a memory limit: for an event, so that nobody counts on it. */
  readonly warnings: readonly string[];
  /** How it ended; absent while it runs. */
  readonly exit: ContainerExit | undefined;
  /** Resolves when it ends; at once for one that has. */
  readonly exited: Promise<ContainerExit>;
  /** Sends TERM, then KILL when the grace is over, to all of it. Resolves when nothing of it is left. */
  stop(graceMs: number): Promise<ContainerExit>;
  /** Runs a command beside it, with the same environment, directory and mounts. Not within a shell. */
  exec(command: readonly string[], options: { readonly tty: boolean; readonly stdin: boolean }): Promise<ExecProcess>;
  /** Its own streams, from now on. */
  attach(): Promise<AttachedStreams>;
  logs(options: LogOptions): Promise<Readable>;
  usage(): Promise<Usage | undefined>;
  /** Forgets an ended container and removes its files, its log too. */
  remove(): Promise<void>;
}

export interface AttachedStreams {
  readonly stdin?: Writable;
  readonly stdout: Readable;
  /** Absent with a terminal. */
  readonly stderr?: Readable;
  resize(size: { readonly width: number; readonly height: number }): void;
  detach(): void;
}

export interface ExecProcess extends AttachedStreams {
  /** Resolves with the exit code; a signal counts as 128 and its number. */
  readonly exitCode: Promise<number>;
  kill(): void;
}

export interface LogOptions {
  readonly follow: boolean;
  readonly timestamps: boolean;
  readonly tailLines?: number;
  readonly limitBytes?: number;
  /** Only lines at or after this moment, in milliseconds since the epoch. */
  readonly since?: number;
}

/** Reasons as container statuses show them. */
export type RuntimeErrorReason =
  'ErrImagePull' | 'CreateContainerError' | 'RunContainerError' | 'InvalidMount' | 'VerifyNonRootError';

export class RuntimeError extends Error {
  override readonly name = 'RuntimeError';
  readonly reason: RuntimeErrorReason;

  constructor(reason: RuntimeErrorReason, message: string, options?: ErrorOptions) {
    super(message, options);
    this.reason = reason;
  }
}
