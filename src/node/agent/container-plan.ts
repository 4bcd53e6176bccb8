import type { Pod } from '../../kinds/core/pod.ts';
import type { Container } from '../../kinds/core/pod/container.ts';
import type { ResolvedCommand } from '../environment/container-environment.ts';
import { RuntimeError, type ContainerPlan, type Mount, type PulledImage } from '../runtime.ts';
import type { PodSurroundings } from './pod-surroundings.ts';

export interface PlannedStart {
  readonly pod: Pod;
  readonly container: Container;
  readonly surroundings: PodSurroundings;
  readonly image: PulledImage;
  readonly attempt: number;
  readonly command: ResolvedCommand;
}

/** All that a runtime needs to start a container. */
export function planContainer(start: PlannedStart): ContainerPlan {
  const { pod, container, surroundings, image, attempt, command } = start;
  const { namespace = '', name = '', uid = '' } = pod.metadata;
  const { securityContext = {} } = pod.spec;
  const { fsGroup, supplementalGroups = [] } = securityContext;
  const user = container.securityContext?.runAsUser ?? securityContext.runAsUser;
  return {
    pod: { namespace, name, uid },
    place: surroundings.place,
    container,
    image,
    attempt,
    ...command,
    mounts: mountsOf(container, surroundings),
    user,
    mustNotBeRoot: container.securityContext?.runAsNonRoot ?? securityContext.runAsNonRoot ?? false,
    groups: fsGroup === undefined ? supplementalGroups : [...supplementalGroups, fsGroup],
  };
}

function mountsOf({ volumeMounts = [] }: Container, { volumes }: PodSurroundings): Mount[] {
  return volumeMounts.map(({ name, mountPath, readOnly = false }) => {
    const volume = volumes.get(name);
    if (!volume) throw new RuntimeError('InvalidMount', `the pod has no volume ${JSON.stringify(name)}`);
    return { hostPath: volume.hostPath, containerPath: mountPath, readOnly: readOnly || volume.readOnly };
  });
}
