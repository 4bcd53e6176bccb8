import type { Clock } from '../../../base/clock.ts';
import type { Ids } from '../../../base/ids.ts';
import type { Logger } from '../../../base/logger.ts';
import type { LogLimits } from './logs/log-writer.ts';
import type { PodNetworkMake } from './network/pod-network.ts';

export interface ProcessRuntimeOptions {
  /** Everything that is kept: containers, logs, pods' directories, addresses. One runtime at a time may have it. */
  readonly directory: string;
  /** A file that says what images stand for; see `parseImageMap`. */
  readonly imageMap?: string;
  /** How pods get addresses of their own. On the loopback network of the machine unless given. */
  readonly network?: PodNetworkMake;
  /** Addresses that pods of all nodes of this machine get on the loopback network, within 127.0.0.0/8. `127.64.0.0/10` unless given. */
  readonly addressRange?: string;
  /** Where nodes of this machine note which part of the range is theirs. A directory among the temporary files unless given. */
  readonly addressRegistry?: string;
  /** The address of pods that use the host's network, where others are on the loopback network. `127.0.0.1` unless given. */
  readonly hostAddress?: string;
  /** When a container's log goes on in the next file, and how many files are kept. Five of 10 MiB unless given. */
  readonly logLimits?: LogLimits;
  readonly clock: Clock;
  readonly ids: Ids;
  readonly logger: Logger;
}
