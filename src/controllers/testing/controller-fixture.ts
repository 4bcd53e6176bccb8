import { openClient, type ClientFixture, type ClientFixtureOptions } from '../../client/testing/client-fixture.ts';
import type { Controller } from '../loop/controller.ts';
import { runControllers, type ControllerRun } from '../loop/run-controllers.ts';

export interface ControllerFixture extends ClientFixture {
  readonly run: ControllerRun;
  /** Moves time on in small steps, and lets the controllers finish after each. */
  pass(ms: number): Promise<void>;
}

const stepMs = 1000;

/** Controllers on the real registry in memory, in time that stands still until it is passed. */
export async function openControllers(
  controllers: readonly Controller[],
  options: ClientFixtureOptions = {},
): Promise<ControllerFixture> {
  const fixture = await openClient(options);
  const run = runControllers(controllers, fixture);
  await run.settled();
  return {
    ...fixture,
    run,
    async pass(ms) {
      for (let left = ms; left > 0; left -= stepMs) {
        fixture.clock.step(Math.min(left, stepMs));
        await run.settled();
      }
    },
    async close() {
      await run.close();
      await fixture.close();
    },
  };
}
