import type { Clock } from '../../../base/clock.ts';
import type { Client, WatchHandle } from '../../../client/client.ts';
import { keyOf } from '../../../client/object-name.ts';
import { pod as podKind, type Pod } from '../../../kinds/core/pod.ts';
import { isActive, isAvailable } from '../../../kinds/core/pod/pod-state.ts';
import { deployment as deploymentKind, type Deployment } from '../../../kinds/extensions/deployment.ts';
import { rolloutBounds, type RolloutBounds } from '../rollout-bounds.ts';

/**
 * Watches the pods of the only deployment of a namespace and notes every step out of bounds: a pod made beyond the surge, or an available one
 * taken away although too few are left. Between a change of the deployment and `rested` the wider of the bounds before and after hold.
 */
export class RolloutGuard {
  readonly violations: string[] = [];
  /** Every change that was looked at. */
  changes = 0;
  readonly #clock: Clock;
  readonly #pods = new Map<string, Pod>();
  readonly #handles: WatchHandle[] = [];
  #bounds: RolloutBounds[] = [];
  #minReadySeconds = 0;
  /** The fewest that were available since all was carried out: what was decided when pods were unready may come to pass when they are ready. */
  #lowest = 0;
  /** How many became unready by themselves since then: what was decided when they were ready is still carried out. */
  #lost = 0;

  private constructor(clock: Clock) {
    this.#clock = clock;
  }

  static async open({ client, clock }: { client: Client; clock: Clock }, namespace: string): Promise<RolloutGuard> {
    const guard = new RolloutGuard(clock);
    const { resourceVersion } = await client.list(podKind, { namespace });
    const onEnd = (error?: Error) => void (error && guard.violations.push(`the watch ended: ${error.message}`));
    const options = { namespace, resourceVersion };
    guard.#handles.push(
      await client.watch(deploymentKind, options, { onEvent: ({ object }) => guard.#seeDeployment(object), onEnd }),
      await client.watch(podKind, options, {
        onEvent: ({ type, object }) => guard.#seePod(object, type === 'DELETED'),
        onEnd,
      }),
    );
    return guard;
  }

  /** What was decided so far has been carried out: only the present bounds hold from now on. */
  rested(): void {
    this.#bounds = this.#bounds.slice(-1);
    this.#lowest = this.#available;
    this.#lost = 0;
  }

  close(): void {
    for (const handle of this.#handles) handle.close();
  }

  #seeDeployment(deployment: Deployment): void {
    this.#bounds.push(rolloutBounds(deployment));
    this.#minReadySeconds = deployment.spec.minReadySeconds ?? 0;
  }

  #seePod(pod: Pod, isGone: boolean): void {
    const key = keyOf(pod);
    const before = this.#pods.get(key);
    if (isGone) this.#pods.delete(key);
    else this.#pods.set(key, pod);
    this.changes++;
    const wasAvailable = before !== undefined && this.#isAvailable(before);
    const isTaken = isGone || pod.metadata.deletionTimestamp !== undefined;
    const pods = [...this.#pods.values()].filter(isActive);
    const most = Math.max(...this.#bounds.map((bounds) => bounds.most));
    if (!before && pods.length > most) this.violations.push(`${pods.length} pods, where ${most} are allowed`);
    const required = Math.min(...this.#bounds.map((bounds) => bounds.fewestAvailable));
    const fewest = Math.min(this.#lowest, required - this.#lost);
    const available = this.#available;
    if (wasAvailable && !isTaken && !this.#isAvailable(pod)) this.#lost++;
    if (wasAvailable && isTaken && available < fewest) {
      this.violations.push(`${key} was taken away: ${available} available, where ${fewest} are required`);
    }
    this.#lowest = Math.min(this.#lowest, available);
  }

  get #available(): number {
    return [...this.#pods.values()].filter((pod) => this.#isAvailable(pod)).length;
  }

  #isAvailable(pod: Pod): boolean {
    return isActive(pod) && isAvailable(pod, this.#minReadySeconds, this.#clock.now());
  }
}
