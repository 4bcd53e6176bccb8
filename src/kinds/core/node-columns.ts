import { ageColumn, listed, nameColumn, none, unknown, type Column } from '../column.ts';
import type { NodeSystemInfo } from './node-status.ts';
import type { Node } from './node.ts';

function nodeState({ spec, status }: Node): string {
  const ready = status.conditions?.find(({ type }) => type === 'Ready')?.status;
  const state = ready === undefined ? 'Unknown' : ready === 'True' ? 'Ready' : 'NotReady';
  return spec.unschedulable ? `${state},SchedulingDisabled` : state;
}

const rolePrefix = 'node-role.kubernetes.io/';
const roleLabel = 'kubernetes.io/role';

function rolesOf({ metadata }: Node): string {
  const roles = new Set<string>();
  for (const [label, value] of Object.entries(metadata.labels ?? {})) {
    if (label.startsWith(rolePrefix)) roles.add(label.slice(rolePrefix.length));
    else if (label === roleLabel) roles.add(value);
  }
  roles.delete('');
  return listed([...roles].sort());
}

function addressColumn(name: string, type: string, description: string): Column<Node> {
  const read = ({ status }: Node): string => status.addresses?.find((each) => each.type === type)?.address ?? none;
  return { name, description, wide: true, read };
}

function infoColumn(name: string, field: keyof NodeSystemInfo, description: string): Column<Node> {
  return { name, description, wide: true, read: ({ status }) => status.nodeInfo?.[field] || unknown };
}

export const nodeColumns: readonly Column<Node>[] = [
  nameColumn,
  { name: 'Status', description: 'Whether the node takes and runs pods.', read: nodeState },
  { name: 'Roles', description: 'What the node is for, by its labels.', read: rolesOf },
  ageColumn,
  {
    name: 'Version',
    description: 'Version of its agent.',
    read: ({ status }) => status.nodeInfo?.kubeletVersion ?? '',
  },
  addressColumn('Internal-IP', 'InternalIP', 'Its address inside the cluster.'),
  addressColumn('External-IP', 'ExternalIP', 'Its address outside the cluster.'),
  infoColumn('OS-Image', 'osImage', 'Its operating system.'),
  infoColumn('Kernel-Version', 'kernelVersion', 'Version of its kernel.'),
  infoColumn('Container-Runtime', 'containerRuntimeVersion', 'What runs its containers.'),
];
