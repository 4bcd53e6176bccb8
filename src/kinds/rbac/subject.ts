import { object, string, type FieldsOf } from '../../schema/builders.ts';
import type { FieldErrors } from '../../schema/field-errors.ts';
import { dnsSubdomain } from '../../schema/formats.ts';
import type { Path } from '../../schema/path.ts';
import type { ObjectSchema } from '../../schema/schema.ts';
import { rbacGroup } from './rbac-group.ts';

const subjectKinds = ['ServiceAccount', 'User', 'Group'] as const;

const subjectFields = {
  kind: string('User, Group or ServiceAccount.').mandatory(),
  apiGroup: string('Group that the kind belongs to; empty for service accounts.'),
  name: string('Name of the user, group or account.').mandatory(),
  namespace: string('Namespace of a service account.'),
};
/** Somebody who is given a role. */
export interface Subject extends FieldsOf<typeof subjectFields> {}
export const subject: ObjectSchema<Subject> = object('v1.Subject', 'Somebody who is given a role.', subjectFields, {
  complete: completeGroup,
  validate: validateSubject,
});

function completeGroup(subject: Subject): void {
  const isUser = subject.kind === 'User' || subject.kind === 'Group';
  if (isUser && !subject.apiGroup) subject.apiGroup = rbacGroup;
}

function validateSubject(subject: Subject, path: Path, errors: FieldErrors): void {
  const { kind, apiGroup = '', name } = subject;
  if (!kind) return;
  if (!subjectKinds.some((known) => known === kind)) return errors.notSupported(path.at('kind'), kind, subjectKinds);
  const group = kind === 'ServiceAccount' ? '' : rbacGroup;
  if (apiGroup !== group) errors.notSupported(path.at('apiGroup'), apiGroup, [group]);
  if (kind !== 'ServiceAccount' || !name) return;
  const wrong = dnsSubdomain.check(name);
  if (wrong) errors.invalid(path.at('name'), name, wrong);
}

/** Outside of a namespace, an account must say which one it is in. */
export function requireNamespaces(subjects: readonly Subject[], path: Path, errors: FieldErrors): void {
  subjects.forEach(({ kind, namespace }, index) => {
    if (kind === 'ServiceAccount' && !namespace) errors.required(path.index(index).at('namespace'));
  });
}
