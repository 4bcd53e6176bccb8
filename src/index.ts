/** What embedders import. */
export { startCluster } from './cluster.ts';
export { OptionsError } from './cluster-options.ts';
export type { AdminAccess, Cluster, ClusterOptions, EtcdChoice, PortRange, StorageChoice } from './cluster-options.ts';
export { systemClock, type Clock, type Timer } from './base/clock.ts';
export { randomIds, seededIds, type Ids } from './base/ids.ts';
export { silentLogger, type LogFields, type Logger, type LogLevel } from './base/logger.ts';
export { SteppedClock } from './base/stepped-clock.ts';
export type { HistoryBounds } from './storage/storage.ts';
export { version } from './version.ts';
