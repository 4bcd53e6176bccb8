import assert from 'node:assert/strict';
import { RolloutGuard } from '../../src/controllers/deployment/testing/rollout-guard.ts';
import type { SpecPatch } from '../../src/controllers/deployment/testing/deployment-world.ts';
import { pod as podKind, type Pod } from '../../src/kinds/core/pod.ts';
import { deployment as deploymentKind, type Deployment } from '../../src/kinds/extensions/deployment.ts';
import { replicaSet as replicaSetKind, type ReplicaSet } from '../../src/kinds/extensions/replica-set.ts';
import type { DeleteOptions } from '../../src/kinds/meta/delete-options.ts';
import { nodeNames } from '../../src/node/simulated/run-simulated-nodes.ts';
import { ChaosWorld } from './chaos-world.ts';

const web = { namespace: 'one', name: 'web' };
const { namespace } = web;

/** Four pods fit on a node: so few that those of a surge may have to wait for others to go. */
const nodes = { names: nodeNames(4), capacity: { cpu: '1', memory: '1Gi', pods: '8' } };
const requests = { cpu: '250m', memory: '64Mi' };

/** One deployment in a world of chaos; every step is held to the bounds of its rollout. */
export class RolloutWorld {
  readonly #world: ChaosWorld;
  readonly #guard: RolloutGuard;

  private constructor(world: ChaosWorld, guard: RolloutGuard) {
    this.#world = world;
    this.#guard = guard;
  }

  static async open(killsNodes: boolean): Promise<RolloutWorld> {
    const world = await ChaosWorld.open({ nodes, killsNodes });
    return new RolloutWorld(world, await RolloutGuard.open(world.fixture, namespace));
  }

  get kills(): number {
    return this.#world.kills;
  }

  async start(lives?: number): Promise<void> {
    await this.#world.start(lives);
    this.#check();
  }

  async pass(ms: number): Promise<void> {
    await this.#world.pass(ms);
    this.#check();
    // So long without a kill, and what was decided before has been carried out.
    if (!this.#world.isKilled) this.#guard.rested();
  }

  async close(): Promise<void> {
    this.#guard.close();
    await this.#world.close();
  }

  async create(spec: SpecPatch, annotations: Record<string, string>): Promise<void> {
    const template = {
      metadata: { labels: { app: 'web' }, annotations },
      spec: { containers: [{ name: 'main', image: 'web:1', resources: { requests } }] },
    };
    await this.#world.client.create(deploymentKind, {
      kind: 'Deployment',
      apiVersion: 'extensions/v1beta1',
      metadata: web,
      spec: { ...spec, template },
    });
  }

  /** Changes the spec without waiting for what follows from it. */
  async patch(spec: object): Promise<void> {
    await this.#world.client.patch(deploymentKind, web, { strategic: { spec } });
  }

  /** From here on nothing is required to be available. */
  async delete(propagationPolicy: DeleteOptions['propagationPolicy']): Promise<void> {
    this.#guard.close();
    await this.#world.client.delete(deploymentKind, web, { propagationPolicy });
  }

  get(): Promise<Deployment> {
    return this.#world.client.get(deploymentKind, web);
  }

  async deployments(): Promise<Deployment[]> {
    return (await this.#world.client.list(deploymentKind, { namespace })).items;
  }

  async sets(): Promise<ReplicaSet[]> {
    return (await this.#world.client.list(replicaSetKind, { namespace })).items;
  }

  async pods(): Promise<Pod[]> {
    return (await this.#world.client.list(podKind, { namespace })).items;
  }

  #check(): void {
    assert.deepEqual(this.#guard.violations, []);
  }
}
