import { boolean, object, one, string, type FieldsOf } from '../../schema/builders.ts';
import { decode } from '../../schema/decode.ts';
import type { FieldErrors } from '../../schema/field-errors.ts';
import { dnsSubdomain } from '../../schema/formats.ts';
import { Path } from '../../schema/path.ts';
import type { ObjectSchema } from '../../schema/schema.ts';
import { defineKind, kindSchema, type Kind } from '../kind.ts';
import type { ApiObject } from '../meta/object-meta.ts';
import { nodeColumns } from './node-columns.ts';
import { nodeStatus, validateNodeStatus, type NodeStatus } from './node-status.ts';

const nodeSpecFields = {
  podCIDR: string('Addresses that pods of the node get.'),
  externalID: string('Name that the cloud or the machine has for the node; its name unless given.'),
  providerID: string('Identity of the node at its cloud.'),
  unschedulable: boolean('Whether no new pods are put here.'),
};
export interface NodeSpec extends FieldsOf<typeof nodeSpecFields> {}
const nodeSpec: ObjectSchema<NodeSpec> = object('v1.NodeSpec', 'What a node is.', nodeSpecFields, {
  validate: ({ externalID }, path, errors) => {
    if (!externalID) errors.required(path.at('externalID'));
  },
});

const nodeFields = {
  spec: one(nodeSpec, 'What the node is.').mandatory().defaultsTo({}),
  status: one(nodeStatus, 'How the node fares.')
    .mandatory()
    .defaultsTo({} as NodeStatus),
};
export interface Node extends ApiObject, FieldsOf<typeof nodeFields> {}

/** A name that the server makes up comes too late for this, as in the reference: such a node must bring its externalID. */
function completeExternalID({ metadata, spec }: Node): void {
  if (metadata.name) spec.externalID ??= metadata.name;
}

/** Who a node is does not change; the addresses of its pods are given once. */
function validateNodeUpdate(node: Node, old: Node, errors: FieldErrors): void {
  validateNodeStatus(node.status, Path.of('status'), errors);
  const path = Path.of('spec');
  const { podCIDR, externalID, providerID } = node.spec;
  const moved = old.spec.podCIDR !== undefined && podCIDR !== old.spec.podCIDR;
  if (moved) errors.forbidden(path.at('podCIDR'), `cannot be changed any more; it is ${old.spec.podCIDR}`);
  if (moved || externalID !== old.spec.externalID || providerID !== old.spec.providerID) {
    errors.forbidden(path, 'externalID, providerID and a podCIDR once given cannot be changed');
  }
}

export const node: Kind<Node> = defineKind<Node>({
  group: '',
  version: 'v1',
  kind: 'Node',
  resource: 'nodes',
  shortNames: ['no'],
  namespaced: false,
  nameFormat: dnsSubdomain,
  hasStatus: true,
  schema: kindSchema({ apiVersion: 'v1', kind: 'Node', description: 'A machine that runs pods.' }, nodeFields, {
    complete: completeExternalID,
  }),
  selectableFields: { 'spec.unschedulable': ({ spec }) => String(spec.unschedulable ?? false) },
  columns: nodeColumns,
  validateUpdate: validateNodeUpdate,
  validateStatusUpdate: validateNodeUpdate,
  prepareForExport(exported, exact) {
    if (!exact) exported.status = decode(nodeStatus, {}).value;
  },
  example: {
    kind: 'Node',
    apiVersion: 'v1',
    metadata: { name: 'machine-1' },
    spec: { externalID: 'machine-1' },
    status: {
      capacity: { cpu: '4', memory: '8Gi', pods: '110' },
      daemonEndpoints: { kubeletEndpoint: { Port: 10250 } },
      nodeInfo: {
        machineID: '',
        systemUUID: '',
        bootID: '',
        kernelVersion: '',
        osImage: '',
        containerRuntimeVersion: '',
        kubeletVersion: '',
        kubeProxyVersion: '',
      },
    },
  },
});
