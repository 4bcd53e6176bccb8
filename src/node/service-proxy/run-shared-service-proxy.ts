import { deferred } from '../../base/deferred.ts';
import { pause } from '../../client/pause.ts';
import { claimOnMachine, type MachineClaim } from '../machine/machine-claim.ts';
import { runServiceProxy, type RunServiceProxyOptions, type ServiceProxyRun } from './run-service-proxy.ts';

export interface RunSharedServiceProxyOptions extends Omit<RunServiceProxyOptions, 'signal'> {
  /** Nodes of other clusters have proxies of their own. */
  readonly clusterId: string;
}

export interface SharedServiceProxyRun {
  /** Resolves when services can be reached through this proxy, or when another one of the machine has its turn. */
  readonly started: Promise<void>;
  close(): Promise<void>;
}

const retryMs = 1000;

/**
 * A service proxy for machines with several nodes of a cluster. The addresses and ports of services can be opened once on a machine, so one of the nodes
 * opens them for all; the others wait until it is gone, and one of them takes over within a second.
 */
export function runSharedServiceProxy(options: RunSharedServiceProxyOptions): SharedServiceProxyRun {
  const { clock, logger, clusterId } = options;
  const stopping = new AbortController();
  const started = deferred<void>();
  started.promise.catch(() => {});
  let claim: MachineClaim | undefined;
  let proxy: ServiceProxyRun | undefined;

  async function waitForTurn(): Promise<void> {
    for (let attempt = 0; !stopping.signal.aborted; attempt++) {
      claim = await claimOnMachine(`service proxy ${clusterId}`);
      if (claim) return;
      if (attempt === 0) {
        logger.info('another node of this machine makes services reachable; this one takes over when it is gone');
        started.resolve();
      }
      await pause(clock, retryMs, stopping.signal);
    }
  }

  async function run(): Promise<void> {
    await waitForTurn();
    stopping.signal.throwIfAborted();
    proxy = runServiceProxy(options);
    await proxy.started;
  }

  const running = run().then(started.resolve, (error: unknown) => {
    started.reject(error);
    if (!stopping.signal.aborted) logger.error('services cannot be reached through this node', { error });
  });
  return {
    started: started.promise,
    async close() {
      stopping.abort(new Error('the service proxy is stopped'));
      await proxy?.close();
      await running;
      await claim?.release();
    },
  };
}
