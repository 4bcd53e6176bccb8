import assert from 'node:assert/strict';
import { allSettled } from '../../src/base/settling.ts';
import type { Client } from '../../src/client/client.ts';
import { openClient, type ClientFixture } from '../../src/client/testing/client-fixture.ts';
import { namespace as namespaceKind } from '../../src/kinds/core/namespace.ts';
import { MortalProcess, type NodesOptions } from './mortal-process.ts';
import { RoomGuard } from './room-guard.ts';

/** A leader that hears nothing of time for longer would lose its lock. */
const stepMs = 1000;

export interface ChaosWorldOptions {
  readonly nodes: NodesOptions;
  /** Whether the nodes run in the process that is killed; otherwise they live on. */
  readonly killsNodes: boolean;
}

/** The real registry, in time that stands still, and processes that come and go. No step may put a pod where there is no room. */
export class ChaosWorld {
  readonly fixture: ClientFixture;
  readonly room: RoomGuard;
  readonly #options: ChaosWorldOptions;
  #mortal: MortalProcess | undefined;
  #lasting: MortalProcess | undefined;
  #kills = 0;

  private constructor(options: ChaosWorldOptions, fixture: ClientFixture, room: RoomGuard) {
    this.#options = options;
    this.fixture = fixture;
    this.room = room;
  }

  static async open(options: ChaosWorldOptions): Promise<ChaosWorld> {
    const fixture = await openClient();
    const metadata = { name: 'kube-system' };
    await fixture.client.create(namespaceKind, { kind: 'Namespace', apiVersion: 'v1', metadata });
    return new ChaosWorld(options, fixture, await RoomGuard.open(fixture.client));
  }

  get client(): Client {
    return this.fixture.client;
  }

  /** How many processes were killed in the middle of their work. */
  get kills(): number {
    return this.#kills;
  }

  /** Whether the present process has been killed. */
  get isKilled(): boolean {
    return this.#mortal?.isKilled ?? false;
  }

  /** Starts a process that knows nothing yet, in place of the one before. */
  async start(lives = Infinity): Promise<void> {
    const { nodes, killsNodes } = this.#options;
    if (!killsNodes) this.#lasting ??= new MortalProcess(this.fixture, { hasPlane: false, nodes, lives: Infinity });
    await this.#end();
    this.#mortal = new MortalProcess(this.fixture, { hasPlane: true, nodes: killsNodes ? nodes : undefined, lives });
    await Promise.all(this.#processes.map((each) => each.started()));
    await this.settled();
  }

  /** Lets time pass; less when the process is killed meanwhile. */
  async pass(ms: number): Promise<void> {
    for (let left = ms; left > 0 && !this.isKilled; left -= stepMs) {
      this.fixture.clock.step(Math.min(left, stepMs));
      await this.settled();
    }
  }

  async settled(): Promise<void> {
    await allSettled(this.#processes);
    assert.deepEqual(this.room.violations, []);
  }

  async close(): Promise<void> {
    await this.#end();
    await this.#lasting?.close();
    this.room.close();
    await this.fixture.close();
  }

  get #processes(): readonly MortalProcess[] {
    return [this.#mortal, this.#lasting].filter((each) => each !== undefined);
  }

  async #end(): Promise<void> {
    if (this.isKilled) this.#kills++;
    await this.#mortal?.close();
    this.#mortal = undefined;
  }
}
