import { mkdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { Clock } from '../../base/clock.ts';
import type { Container } from '../../kinds/core/pod/container.ts';
import type { Pod } from '../../kinds/core/pod.ts';
import { dial } from '../dial.ts';
import type { ContainerPlan, PodId, PodPlace, PulledImage, Runtime } from '../runtime.ts';
import { ScriptedContainer, type RunCommand, type RunScript } from './scripted-container.ts';

export interface ScriptedMachineOptions {
  readonly clock: Clock;
  /** Where the directories of pods go. */
  readonly directory: string;
}

/** A machine in memory on which containers do what a test has written down. It outlives the runtimes that are opened on it, as a real one does. */
export class ScriptedMachine {
  /** By container: what its first run does, its second and so on; the last stands for all that follow. Without one it runs until it is stopped. */
  readonly scripts = new Map<string, readonly RunScript[]>();
  /** By image: called whenever it is pulled, and may fail. */
  readonly pulls = new Map<string, () => Promise<void> | void>();
  /** By container: called before each start, and may fail. */
  readonly starts = new Map<string, () => Promise<void> | void>();
  /** Called before what a pod was given is freed, and may fail. */
  beforeRelease: () => Promise<void> | void = () => undefined;
  /** Called before what other pods were given is freed. */
  beforeReleaseOthers: () => Promise<void> | void = () => undefined;
  /** What commands that are run beside containers do; they succeed at once when nobody says otherwise. */
  runCommand: RunCommand = async () => 0;
  /** What was done, with the seconds since the machine was made: `0 start main 0`, `10 stop main 30s`. */
  readonly record: string[] = [];
  /** What every container says that it cannot be given. */
  warnings: readonly string[] = [];
  readonly containers: ScriptedContainer[] = [];
  readonly places = new Map<string, PodPlace>();
  readonly #options: ScriptedMachineOptions;
  readonly #begunAt: number;
  #ids = 0;

  constructor(options: ScriptedMachineOptions) {
    this.#options = options;
    this.#begunAt = options.clock.now();
  }

  /** Those of a container, oldest first. */
  runsOf(name: string): ScriptedContainer[] {
    return this.containers.filter((container) => container.name === name);
  }

  /** The newest one. */
  find(name: string): ScriptedContainer {
    const found = this.runsOf(name).at(-1);
    if (!found) throw new Error(`there is no container ${name}`);
    return found;
  }

  note(text: string): void {
    this.record.push(`${(this.#options.clock.now() - this.#begunAt) / 1000} ${text}`);
  }

  open(): Runtime {
    return {
      version: 'scripted://1',
      preparePod: (pod) => this.#preparePod(pod),
      releasePod: (pod) => this.#releasePod(pod),
      releaseOthers: (known) => this.#releaseOthers(known),
      pull: (container) => this.#pull(container),
      start: (plan) => this.#start(plan),
      // Programs of a test listen for it alone.
      connect: (_pod, port, signal) => dial(['127.0.0.1'], port, signal),
      list: async () => [...this.containers],
      close: async () => undefined,
    };
  }

  async #preparePod({ metadata: { uid = '' } }: Pod): Promise<PodPlace> {
    let place = this.places.get(uid);
    if (!place) {
      place = { ip: `127.0.1.${this.places.size + 1}`, directory: join(this.#options.directory, uid) };
      await mkdir(place.directory, { recursive: true });
      this.places.set(uid, place);
    }
    return place;
  }

  async #releasePod({ uid, name }: PodId): Promise<void> {
    if (this.containers.some(({ pod, exit }) => pod.uid === uid && !exit)) {
      throw new Error(`pod ${name} still has running containers`);
    }
    const place = this.places.get(uid);
    if (!place) return;
    await this.beforeRelease();
    this.places.delete(uid);
    await rm(place.directory, { recursive: true, force: true });
    this.note(`release ${name}`);
  }

  async #releaseOthers(known: ReadonlySet<string>): Promise<void> {
    await this.beforeReleaseOthers();
    const withContainers = new Set(this.containers.map(({ pod }) => pod.uid));
    for (const uid of Array.from(this.places.keys())) {
      if (!known.has(uid) && !withContainers.has(uid)) await this.#releasePod({ namespace: '', name: uid, uid });
    }
  }

  async #pull({ image }: Container): Promise<PulledImage> {
    await this.pulls.get(image)?.();
    return { id: `scripted://${image}` };
  }

  async #start(plan: ContainerPlan): Promise<ScriptedContainer> {
    const { name } = plan.container;
    await this.starts.get(name)?.();
    const older = this.containers.filter((other) => other.name === name && other.pod.uid === plan.pod.uid);
    for (const container of older.slice(0, -1)) await container.remove();
    const scripts = this.scripts.get(name) ?? [{}];
    const container: ScriptedContainer = new ScriptedContainer({
      id: `scripted://${++this.#ids}`,
      warnings: this.warnings,
      plan,
      script: scripts[Math.min(plan.attempt, scripts.length - 1)] ?? {},
      clock: this.#options.clock,
      runCommand: (command, ends) => this.runCommand(command, ends),
      onStop: (graceMs) => this.note(`stop ${name} ${graceMs / 1000}s`),
      onRemove: () => {
        const at = this.containers.indexOf(container);
        if (at < 0) return;
        this.containers.splice(at, 1);
        this.note(`remove ${name} ${plan.attempt}`);
      },
    });
    this.containers.push(container);
    this.note(`start ${name} ${plan.attempt}`);
    return container;
  }
}
