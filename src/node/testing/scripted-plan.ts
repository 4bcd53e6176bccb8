import type { Container } from '../../kinds/core/pod/container.ts';
import type { ContainerPlan } from '../runtime.ts';

/** The first start of a container, with nothing that it does not say itself. */
export function planFor(container: Container): ContainerPlan {
  return {
    pod: { namespace: 'one', name: 'web', uid: 'u' },
    place: { ip: '127.0.0.1', directory: '' },
    container,
    image: { id: 'x' },
    attempt: 0,
    environment: {},
    command: [],
    args: [],
    mounts: [],
  };
}
