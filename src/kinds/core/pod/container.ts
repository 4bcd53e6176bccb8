import { boolean, list, object, one, oneOf, string, strings, type FieldsOf } from '../../../schema/builders.ts';
import type { FieldErrors } from '../../../schema/field-errors.ts';
import { dnsLabel, portName } from '../../../schema/formats.ts';
import type { Path } from '../../../schema/path.ts';
import type { ObjectSchema } from '../../../schema/schema.ts';
import { resourceRequirements } from '../resource-requirements.ts';
import { containerPort, type ContainerPort } from './container-port.ts';
import { envVar } from './env-var.ts';
import { lifecycle } from './handler.ts';
import { probe } from './probe.ts';
import { securityContext } from './security-context.ts';
import { volumeMount } from './volume-mount.ts';

const containerFields = {
  name: string('Name of the container, unique in its pod.', dnsLabel).mandatory(),
  image: string('Image to run.').mandatory(),
  command: strings('Program to run; that of the image unless given.'),
  args: strings('Arguments for the program; those of the image unless given.'),
  workingDir: string('Directory in which the program starts.'),
  ports: list(containerPort, 'Ports that the container listens on.').mergeBy('containerPort'),
  env: list(envVar, 'Variables in its environment.').mergeBy('name'),
  resources: one(resourceRequirements, 'How much processor time and memory it gets.').defaultsTo({}),
  volumeMounts: list(volumeMount, 'Where volumes of the pod appear in its file system.').mergeBy('name'),
  livenessProbe: one(probe, 'Tells whether the container still works; it is restarted when not.'),
  readinessProbe: one(probe, 'Tells whether the container can serve; services leave it out when not.'),
  lifecycle: one(lifecycle, 'What is done when it starts and stops.'),
  terminationMessagePath: string('File in which the container can say why it ended.').defaultsTo(
    '/dev/termination-log',
  ),
  imagePullPolicy: oneOf(['Always', 'IfNotPresent', 'Never'], 'When the image is fetched anew.'),
  securityContext: one(securityContext, 'With which rights it runs.'),
  stdin: boolean('Whether its standard input is kept open.'),
  stdinOnce: boolean('Whether standard input is closed when the first client leaves.'),
  tty: boolean('Whether it has a terminal; needs stdin.'),
};
export interface Container extends FieldsOf<typeof containerFields> {}
export const container: ObjectSchema<Container> = object('v1.Container', 'One program of a pod.', containerFields, {
  complete: completeContainer,
  validate: validateContainer,
});

function completeContainer(container: Container): void {
  container.imagePullPolicy ??= imageMoves(container.image ?? '') ? 'Always' : 'IfNotPresent';
}

/** Whether the image can be another one tomorrow: it has the tag `latest` or none. A digest stands in for the tag. */
function imageMoves(image: string): boolean {
  const [name = '', digest] = image.split('@');
  const tag = digest ?? /:([^/:]*)$/.exec(name)?.[1];
  return !tag || tag === 'latest';
}

function validateContainer(container: Container, path: Path, errors: FieldErrors): void {
  const { livenessProbe, ports = [] } = container;
  if (livenessProbe && livenessProbe.successThreshold !== 1) {
    errors.invalid(path.at('livenessProbe').at('successThreshold'), livenessProbe.successThreshold, 'must be 1');
  }
  validatePortNames(ports, path.at('ports'), errors);
}

function validatePortNames(ports: readonly ContainerPort[], path: Path, errors: FieldErrors): void {
  const seen = new Set<string>();
  ports.forEach(({ name }, i) => {
    if (!name || portName.check(name)) return;
    if (seen.has(name)) errors.duplicate(path.index(i).at('name'), name);
    seen.add(name);
  });
}
