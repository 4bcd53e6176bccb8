import { isDeepStrictEqual } from 'node:util';
import { object, string, type FieldsOf } from '../../schema/builders.ts';
import type { FieldErrors } from '../../schema/field-errors.ts';
import { Path } from '../../schema/path.ts';
import type { ObjectSchema } from '../../schema/schema.ts';
import { rbacGroup } from './rbac-group.ts';
import { rbacName } from './rbac-name.ts';

const roleRefFields = {
  apiGroup: string('Group of the role.').defaultsTo(rbacGroup),
  kind: string('Role or ClusterRole.').mandatory(),
  name: string('Name of the role.', rbacName).mandatory(),
};
/** The role that a binding hands out. */
export interface RoleRef extends FieldsOf<typeof roleRefFields> {}
export const roleRef: ObjectSchema<RoleRef> = object(
  'v1.RoleRef',
  'The role that a binding hands out.',
  roleRefFields,
  {
    validate: validateGroup,
  },
);

function validateGroup({ apiGroup = '' }: RoleRef, path: Path, errors: FieldErrors): void {
  if (apiGroup !== rbacGroup) errors.notSupported(path.at('apiGroup'), apiGroup, [rbacGroup]);
}

const where = Path.of('roleRef');

/** Whether a binding may point at a role of this kind: one of a namespace can be handed out only there. */
export function checkRoleKind(ref: RoleRef | undefined, kinds: readonly string[], errors: FieldErrors): void {
  if (ref?.kind && !kinds.includes(ref.kind)) errors.notSupported(where.at('kind'), ref.kind, kinds);
}

/** What a binding hands out stays the same: whoever may change its subjects may not give them another role. */
export function checkSameRole(ref: RoleRef, old: RoleRef, errors: FieldErrors): void {
  if (!isDeepStrictEqual({ ...ref }, { ...old })) {
    errors.invalid(where, ref, 'a binding keeps its role; delete it and make another one');
  }
}
