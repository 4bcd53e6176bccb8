import { allSettled, type Settling } from '../../src/base/settling.ts';
import { runControlPlane } from '../../src/cluster/control-plane.ts';
import type { ClientFixture } from '../../src/client/testing/client-fixture.ts';
import { allControllers } from '../../src/controllers/index.ts';
import { mortalClient, type MortalClient } from '../../src/controllers/testing/mortal-client.ts';
import { runSimulatedNodes, type RunSimulatedNodesOptions } from '../../src/node/simulated/run-simulated-nodes.ts';

export type NodesOptions = Pick<RunSimulatedNodesOptions, 'names' | 'capacity'>;

export interface ProcessParts {
  /** Whether all controllers and the scheduler run there. */
  readonly hasPlane: boolean;
  /** The nodes that run there. */
  readonly nodes?: NodesOptions;
  /** How many writes it lives for. */
  readonly lives: number;
}

interface Component extends Settling {
  readonly started: Promise<void>;
  close(): Promise<void>;
}

/**
 * What one process runs besides the API. After so many writes it is killed: nothing that it does reaches the server any more, the leader's lock is not
 * let go, and what it knew is lost.
 */
export class MortalProcess {
  readonly #mortal: MortalClient;
  readonly #components: readonly Component[];

  constructor({ client, clock, ids, logger }: ClientFixture, { hasPlane, nodes, lives }: ProcessParts) {
    this.#mortal = mortalClient(client, lives);
    const parts = { client: this.#mortal.client, clock, ids, logger };
    this.#components = [...(hasPlane ? [planeOf(parts)] : []), ...(nodes ? [nodesOf(parts, nodes)] : [])];
  }

  get isKilled(): boolean {
    return this.#mortal.isKilled;
  }

  /** Resolves when all is at work, or has been killed before. */
  async started(): Promise<void> {
    await Promise.race([Promise.all(this.#components.map(({ started }) => started)), this.#mortal.killed]);
  }

  get isBusy(): boolean {
    return !this.isKilled && this.#components.some(({ isBusy }) => isBusy);
  }

  /** Resolves when there is nothing left to do, or nobody to do it. */
  async settled(): Promise<void> {
    await Promise.race([allSettled(this.#components), this.#mortal.killed]);
  }

  /** Frees what this test's own process holds for it. */
  async close(): Promise<void> {
    await Promise.all(this.#components.map((component) => component.close()));
  }
}

type Parts = Pick<ClientFixture, 'client' | 'clock' | 'ids' | 'logger'>;

function planeOf(parts: Parts): Component {
  const plane = runControlPlane({ ...parts, controllers: allControllers(), identity: 'the one' });
  return {
    started: plane.leading,
    get isBusy() {
      return plane.isBusy;
    },
    settled: () => plane.settled(),
    close: () => plane.close(),
  };
}

function nodesOf(parts: Parts, nodes: NodesOptions): Component {
  return runSimulatedNodes({ ...parts, ...nodes });
}
