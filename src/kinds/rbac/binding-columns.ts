import { ageColumn, nameColumn, type Column } from '../column.ts';
import type { ApiObject } from '../meta/object-meta.ts';
import type { RoleRef } from './role-ref.ts';
import type { Subject } from './subject.ts';

interface Binding extends ApiObject {
  readonly roleRef: RoleRef;
  readonly subjects?: readonly Subject[];
}

function subjectsColumn(name: string, kind: string, description: string): Column<Binding> {
  const nameOf = (subject: Subject): string =>
    kind === 'ServiceAccount' ? `${subject.namespace ?? ''}/${subject.name}` : subject.name;
  const read = ({ subjects = [] }: Binding): string =>
    subjects
      .filter((subject) => subject.kind === kind)
      .map(nameOf)
      .join(', ');
  return { name, description, wide: true, read };
}

/** How both kinds of bindings are shown. */
export const bindingColumns: readonly Column<Binding>[] = [
  nameColumn,
  { name: 'Role', description: 'The role that is given.', read: ({ roleRef }) => `${roleRef.kind}/${roleRef.name}` },
  ageColumn,
  subjectsColumn('Users', 'User', 'Users who are given it.'),
  subjectsColumn('Groups', 'Group', 'Groups that are given it.'),
  subjectsColumn('ServiceAccounts', 'ServiceAccount', 'Service accounts that are given it.'),
];
