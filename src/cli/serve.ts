import { once } from 'node:events';
import type { Logger } from '../base/logger.ts';
import { OptionsError, type Cluster, type ClusterOptions } from '../cluster-options.ts';
import type { Terminal } from './command.ts';
import { consoleLogger } from './console-logger.ts';
import { clusterOptionsFrom, type ServerFlagValues } from './server-flags.ts';
import { UsageError } from './usage-error.ts';

/** What a command does with a cluster that serves, before it waits for the end. */
export interface Announcement {
  /** The one line for standard output. */
  readonly line: string;
  /** Takes back what was left on the machine for the time of serving. */
  cleanUp?(): Promise<void>;
}

export interface ServeOptions {
  readonly values: ServerFlagValues;
  /** What runs beside the API in this process. */
  readonly components?: Pick<ClusterOptions, 'controllers' | 'autoscaling' | 'nodes'>;
  readonly terminal: Terminal;
}

/** Starts a cluster, announces it, and serves until the terminal says stop. */
export async function serve(
  { values, components = {}, terminal }: ServeOptions,
  announce: (cluster: Cluster, logger: Logger) => Promise<Announcement>,
): Promise<void> {
  const options = clusterOptionsFrom(values);
  const { stdout, stderr, clock, stop } = terminal;
  const logger = consoleLogger({ output: stderr, level: values.logLevel, format: values.logFormat, clock });
  const cluster = await start({ ...options, ...components, clock, logger });
  try {
    const announcement = await announce(cluster, logger);
    stdout.write(`${announcement.line}\n`);
    if (!stop.aborted) await once(stop, 'abort');
    logger.info('stopping', { because: String(stop.reason) });
    await announcement.cleanUp?.();
  } finally {
    await cluster.close();
  }
}

async function start(options: ClusterOptions): Promise<Cluster> {
  // Loaded only now, so that help and usage errors are quick.
  const { startCluster } = await import('../cluster.ts');
  try {
    return await startCluster(options);
  } catch (error) {
    throw error instanceof OptionsError ? new UsageError([error.message], { cause: error }) : error;
  }
}
