import assert from 'node:assert/strict';
import { openClient, type ClientFixture, type ClientFixtureOptions } from '../../../client/testing/client-fixture.ts';
import type { Client } from '../../../client/client.ts';
import { event } from '../../../kinds/core/event.ts';
import type { Pod } from '../../../kinds/core/pod.ts';
import { isActive, isReady } from '../../../kinds/core/pod/pod-state.ts';
import { deployment, type Deployment, type DeploymentSpec } from '../../../kinds/extensions/deployment.ts';
import { replicaSet, type ReplicaSet } from '../../../kinds/extensions/replica-set.ts';
import { runControllers, type ControllerRun } from '../../loop/run-controllers.ts';
import { replicaSets } from '../../replica-set.ts';
import { PodDriver } from '../../testing/pod-driver.ts';
import { deployments } from '../deployment.ts';
import { RolloutGuard } from './rollout-guard.ts';

/** The deployment that a world is about. */
export const web = { namespace: 'one', name: 'web' };

export type SpecPatch = Omit<Partial<DeploymentSpec>, 'template'>;

/** After so long, what was refused because others wrote at the same time has been tried again. */
const retriedMs = 1000;

/** One deployment with its controllers on the real registry, in time that stands still; every step is held to the bounds. */
export class DeploymentWorld {
  readonly client: Client;
  readonly pods: PodDriver;
  readonly guard: RolloutGuard;
  readonly #fixture: ClientFixture;
  #run: ControllerRun;

  private constructor(fixture: ClientFixture, guard: RolloutGuard) {
    this.#fixture = fixture;
    this.client = fixture.client;
    this.pods = new PodDriver(fixture, web.namespace);
    this.guard = guard;
    this.#run = this.start();
  }

  static async open(options?: ClientFixtureOptions): Promise<DeploymentWorld> {
    const fixture = await openClient(options);
    return new DeploymentWorld(fixture, await RolloutGuard.open(fixture, web.namespace));
  }

  /** Starts controllers that know nothing yet, through a client of their own if one is given. */
  start(client: Client = this.client): ControllerRun {
    this.#run = runControllers([deployments, replicaSets], { ...this.#fixture, client });
    return this.#run;
  }

  get run(): ControllerRun {
    return this.#run;
  }

  async settled(): Promise<void> {
    await this.#run.settled();
    assert.deepEqual(this.guard.violations, []);
  }

  async pass(ms: number): Promise<void> {
    this.#fixture.clock.step(ms);
    await this.settled();
  }

  /** Lets all that is under way come to its end, what was refused and is tried again included. */
  async rest(): Promise<void> {
    await this.pass(retriedMs);
    this.guard.rested();
  }

  async close(): Promise<void> {
    await this.#run.close();
    this.guard.close();
    await this.#fixture.close();
  }

  async create(spec: SpecPatch, image = 'web:1', annotations?: Record<string, string>): Promise<Deployment> {
    const template = {
      metadata: { labels: { app: 'web' } },
      spec: { containers: [{ name: 'main', image }] },
    };
    const body = { kind: '', apiVersion: '', metadata: { ...web, annotations }, spec: { ...spec, template } };
    const created = await this.client.create(deployment, body);
    await this.settled();
    return created;
  }

  get(): Promise<Deployment> {
    return this.client.get(deployment, web);
  }

  /** Changes the spec without waiting for what follows from it. */
  async patch(spec: object, annotations: Record<string, string> = {}): Promise<void> {
    await this.client.patch(deployment, web, { merge: { metadata: { annotations }, spec } });
  }

  async change(spec: object, annotations?: Record<string, string>): Promise<void> {
    await this.patch(spec, annotations);
    await this.settled();
  }

  async setImage(image: string, annotations?: Record<string, string>): Promise<void> {
    const containers = [{ name: 'main', image }];
    await this.change({ template: { spec: { containers } } }, annotations);
  }

  async scale(replicas: number): Promise<void> {
    await this.change({ replicas });
  }

  /** The replica sets by image: `{ 'web:1': 3 }`. */
  async sizes(): Promise<Record<string, number>> {
    const sets = (await this.sets()).toSorted((a, b) => (imageOf(a) < imageOf(b) ? -1 : 1));
    return Object.fromEntries(sets.map((set) => [imageOf(set), set.spec.replicas ?? -1]));
  }

  async sets(): Promise<ReplicaSet[]> {
    return (await this.client.list(replicaSet, { namespace: web.namespace })).items;
  }

  async set(image: string): Promise<ReplicaSet> {
    const found = (await this.sets()).filter((set) => imageOf(set) === image);
    assert.equal(found.length, 1, `replica sets with ${image}`);
    return found[0]!;
  }

  async activePods(image?: string): Promise<Pod[]> {
    return (await this.pods.list()).filter((pod) => isActive(pod) && (!image || imageOfPod(pod) === image));
  }

  /** Lets so many pods become ready that are not. Says how many there were. */
  async ready(count: number, image?: string): Promise<number> {
    const waiting = (await this.activePods(image)).filter((pod) => !isReady(pod)).slice(0, count);
    for (const pod of waiting) await this.pods.ready(pod);
    await this.settled();
    return waiting.length;
  }

  /** Lets pods become ready, one after the other, and go when they are to, until nothing changes any more. */
  async finish(image?: string): Promise<void> {
    while ((await this.ready(1, image)) > 0) await this.pods.reap();
    await this.pods.reap();
    await this.rest();
  }

  async events(reason: string): Promise<string[]> {
    const { items } = await this.client.list(event, { namespace: web.namespace });
    return items
      .filter((each) => each.reason === reason && each.involvedObject.name === web.name)
      .map(({ message = '' }) => message);
  }
}

export function imageOf({ spec }: ReplicaSet): string {
  return spec.template.spec.containers[0]?.image ?? '';
}

function imageOfPod({ spec }: Pod): string {
  return spec.containers[0]?.image ?? '';
}
