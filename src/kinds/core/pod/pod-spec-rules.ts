import type { FieldErrors } from '../../../schema/field-errors.ts';
import { dnsLabel } from '../../../schema/formats.ts';
import type { Path } from '../../../schema/path.ts';
import { validateLabels } from '../../meta/object-meta.ts';
import type { Container } from './container.ts';
import type { PodSpec } from './pod-spec.ts';
import type { VolumeMount } from './volume-mount.ts';
import type { Volume } from './volume.ts';

/** The rules that hold between the parts of a pod; those of each part stand with it. */
export function validatePodSpec(spec: PodSpec, path: Path, errors: FieldErrors): void {
  const { volumes = [], nodeSelector, hostNetwork } = spec;
  const containers = spec.containers ?? [];
  const volumeNames = validateVolumeNames(volumes, path.at('volumes'), errors);
  const place = path.at('containers');
  validateContainerNames(containers, place, errors);
  containers.forEach(({ volumeMounts = [] }, i) => {
    validateMounts(volumeMounts, volumeNames, place.index(i).at('volumeMounts'), errors);
  });
  validateHostPorts(containers, place, errors);
  if (hostNetwork) validateHostNetworkPorts(containers, place, errors);
  if (nodeSelector) validateLabels(nodeSelector, path.at('nodeSelector'), errors);
}

/** Gives the names that can be mounted: as in the reference, a volume that is wrong in any way is none of them. */
function validateVolumeNames(volumes: readonly Volume[], path: Path, errors: FieldErrors): ReadonlySet<string> {
  const names = new Set<string>();
  volumes.forEach(({ name }, i) => {
    const place = path.index(i);
    if (!name || dnsLabel.check(name)) return;
    if (names.has(name)) errors.duplicate(place.at('name'), name);
    else if (!errors.anyUnder(place)) names.add(name);
  });
  return names;
}

function validateContainerNames(containers: readonly Container[], path: Path, errors: FieldErrors): void {
  const names = new Set<string>();
  containers.forEach(({ name }, i) => {
    if (!name || dnsLabel.check(name)) return;
    if (names.has(name)) errors.duplicate(path.index(i).at('name'), name);
    names.add(name);
  });
}

function validateMounts(
  mounts: readonly VolumeMount[],
  volumeNames: ReadonlySet<string>,
  path: Path,
  errors: FieldErrors,
): void {
  // Two mounts at one path are taken, as in the reference.
  mounts.forEach(({ name }, i) => {
    if (name && !volumeNames.has(name)) errors.notFound(path.index(i).at('name'), name);
  });
}

/** A port of the node leads to one place only, for each protocol. */
function validateHostPorts(containers: readonly Container[], path: Path, errors: FieldErrors): void {
  const taken = new Set<string>();
  containers.forEach(({ ports = [] }, c) => {
    ports.forEach(({ hostPort, protocol }, p) => {
      if (!hostPort) return;
      const port = `${hostPort}/${protocol}`;
      if (taken.has(port)) errors.duplicate(path.index(c).at('ports').index(p).at('hostPort'), port);
      taken.add(port);
    });
  });
}

function validateHostNetworkPorts(containers: readonly Container[], path: Path, errors: FieldErrors): void {
  containers.forEach(({ ports = [] }, c) => {
    ports.forEach(({ hostPort = 0, containerPort }, p) => {
      if (hostPort === containerPort) return;
      const place = path.index(c).at('ports').index(p).at('containerPort');
      errors.invalid(place, containerPort, 'must be the same as hostPort on the network of the host');
    });
  });
}
