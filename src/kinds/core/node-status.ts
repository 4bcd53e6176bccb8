import {
  integer,
  list,
  long,
  object,
  one,
  quantities,
  string,
  strings,
  time,
  type FieldsOf,
} from '../../schema/builders.ts';
import type { FieldErrors } from '../../schema/field-errors.ts';
import type { Path } from '../../schema/path.ts';
import type { ObjectSchema } from '../../schema/schema.ts';

const conditionFields = {
  type: string('What is told: Ready, OutOfDisk or another.').mandatory().always(''),
  status: string('True, False or Unknown.').mandatory().always(''),
  lastHeartbeatTime: time('When the node last said so.'),
  lastTransitionTime: time('When the status last changed.'),
  reason: string('Why it last changed, for machines.'),
  message: string('Why it last changed, for people.'),
};
export interface NodeCondition extends FieldsOf<typeof conditionFields> {}
const nodeCondition: ObjectSchema<NodeCondition> = object(
  'v1.NodeCondition',
  'One thing that is true of a node or not.',
  conditionFields,
);

const addressFields = {
  type: string('What sort of address: Hostname, InternalIP, ExternalIP or LegacyHostIP.').mandatory().always(''),
  address: string('The address.').mandatory().always(''),
};
export interface NodeAddress extends FieldsOf<typeof addressFields> {}
const nodeAddress: ObjectSchema<NodeAddress> = object('v1.NodeAddress', 'One way to reach a node.', addressFields);

const endpointFields = {
  Port: integer('The port.').mandatory().always(0),
};
export interface DaemonEndpoint extends FieldsOf<typeof endpointFields> {}
const daemonEndpoint: ObjectSchema<DaemonEndpoint> = object(
  'v1.DaemonEndpoint',
  'Where a program of the node listens.',
  endpointFields,
);

const endpointsFields = {
  kubeletEndpoint: one(daemonEndpoint, 'Where the node agent listens.').mandatory().defaultsTo({ Port: 0 }),
};
export interface NodeDaemonEndpoints extends FieldsOf<typeof endpointsFields> {}
const nodeDaemonEndpoints: ObjectSchema<NodeDaemonEndpoints> = object(
  'v1.NodeDaemonEndpoints',
  'Where the programs of a node listen.',
  endpointsFields,
);

const systemInfoFields = {
  machineID: string('Identity of the machine, as the node gives it.').mandatory().always(''),
  systemUUID: string('Identity of the machine, as its firmware gives it.').mandatory().always(''),
  bootID: string('Identity of this run of the machine.').mandatory().always(''),
  kernelVersion: string('Version of the kernel.').mandatory().always(''),
  osImage: string('Name of the operating system.').mandatory().always(''),
  containerRuntimeVersion: string('Runtime of the containers, and its version.').mandatory().always(''),
  kubeletVersion: string('Version of the node agent.').mandatory().always(''),
  kubeProxyVersion: string('Version of the network proxy.').mandatory().always(''),
};
export interface NodeSystemInfo extends FieldsOf<typeof systemInfoFields> {}
const nodeSystemInfo: ObjectSchema<NodeSystemInfo> = object(
  'v1.NodeSystemInfo',
  'What a node runs on.',
  systemInfoFields,
);

const imageFields = {
  names: strings('Names of the image.'),
  sizeBytes: long('Its size.'),
};
export interface ContainerImage extends FieldsOf<typeof imageFields> {}
const containerImage: ObjectSchema<ContainerImage> = object(
  'v1.ContainerImage',
  'An image that a node has.',
  imageFields,
);

const statusFields = {
  capacity: quantities('How much of each resource the node has.'),
  allocatable: quantities('How much of it pods can have; all of it unless given.'),
  phase: string('No longer used: conditions tell more.'),
  conditions: list(nodeCondition, 'What is true of the node.').mergeBy('type'),
  addresses: list(nodeAddress, 'Ways to reach the node.').mergeBy('type'),
  daemonEndpoints: one(nodeDaemonEndpoints, 'Where its programs listen.')
    .mandatory()
    .defaultsTo({} as NodeDaemonEndpoints),
  nodeInfo: one(nodeSystemInfo, 'What it runs on.')
    .mandatory()
    .defaultsTo({} as NodeSystemInfo),
  images: list(containerImage, 'Images that it has.'),
};
export interface NodeStatus extends FieldsOf<typeof statusFields> {}
export const nodeStatus: ObjectSchema<NodeStatus> = object('v1.NodeStatus', 'How a node fares.', statusFields, {
  complete: completeAllocatable,
});

function completeAllocatable(status: NodeStatus): void {
  if (status.capacity) status.allocatable ??= { ...status.capacity };
}

/** Rules that hold from the second write on: as in the reference, a new node can say anything. */
export function validateNodeStatus({ addresses = [] }: NodeStatus, path: Path, errors: FieldErrors): void {
  const seen = new Set<string>();
  addresses.forEach(({ type, address }, i) => {
    const both = `${type} ${address}`;
    if (seen.has(both)) errors.duplicate(path.at('addresses').index(i), both);
    seen.add(both);
  });
}
