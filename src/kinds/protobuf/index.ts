import type { MessageNumbers } from '../../schema/protobuf/message-numbers.ts';
import { accessMessages } from './access-messages.ts';
import { coreMessages } from './core-messages.ts';
import { ingressMessages } from './ingress-messages.ts';
import { metaMessages } from './meta-messages.ts';
import { nodeMessages } from './node-messages.ts';
import { podMessages } from './pod-messages.ts';
import { volumeMessages } from './volume-messages.ts';
import { workloadMessages } from './workload-messages.ts';

/**
 * The numbers of the fields of every type that is part of a request's body, as the published API has them. Fields that came after the versions
 * that are served here are listed as well, so that a client that sends them is told their names.
 */
export const messageNumbers: MessageNumbers = {
  ...metaMessages,
  ...coreMessages,
  ...nodeMessages,
  ...podMessages,
  ...volumeMessages,
  ...workloadMessages,
  ...ingressMessages,
  ...accessMessages,
};
