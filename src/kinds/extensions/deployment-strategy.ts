import { intOrString, object, one, oneOf, type FieldsOf } from '../../schema/builders.ts';
import type { FieldErrors } from '../../schema/field-errors.ts';
import type { Path } from '../../schema/path.ts';
import type { ObjectSchema } from '../../schema/schema.ts';
import { isNone, percentOf, validateIntOrPercent } from './int-or-percent.ts';

const rollingUpdateFields = {
  maxUnavailable: intOrString('How many pods may be missing meanwhile: a count, or a percentage.').keepZero(),
  maxSurge: intOrString('How many pods may be too many meanwhile: a count, or a percentage.').keepZero(),
};
export interface RollingUpdateDeployment extends FieldsOf<typeof rollingUpdateFields> {}

const strategyType = oneOf(['Recreate', 'RollingUpdate'], 'Whether old pods go before new ones come.');

export interface DeploymentStrategy {
  type?: 'Recreate' | 'RollingUpdate';
  rollingUpdate?: RollingUpdateDeployment;
}

/** How old pods are replaced by new ones. Versions differ in how many at a time when nothing is said. */
export function deploymentStrategy(version: string, atATime: number | string): ObjectSchema<DeploymentStrategy> {
  const rollingUpdate: ObjectSchema<RollingUpdateDeployment> = object(
    `${version}.RollingUpdateDeployment`,
    'How fast pods are replaced.',
    rollingUpdateFields,
  );
  const fields = {
    type: strategyType.defaultsTo('RollingUpdate'),
    rollingUpdate: one(rollingUpdate, 'How fast pods are replaced; only for RollingUpdate.'),
  };
  const pace = { maxUnavailable: atATime, maxSurge: atATime };
  const complete = (strategy: DeploymentStrategy): void => {
    if (strategy.type === 'RollingUpdate') strategy.rollingUpdate = { ...pace, ...strategy.rollingUpdate };
  };
  const description = 'How old pods are replaced by new ones.';
  return object(`${version}.DeploymentStrategy`, description, fields, { complete, validate: validateStrategy });
}

function validateStrategy({ type, rollingUpdate }: DeploymentStrategy, path: Path, errors: FieldErrors): void {
  const where = path.at('rollingUpdate');
  if (type === 'Recreate' && rollingUpdate) errors.forbidden(where, 'there is no rolling update with Recreate');
  if (type === 'RollingUpdate' && rollingUpdate) validateRollingUpdate(rollingUpdate, where, errors);
}

function validateRollingUpdate(rollingUpdate: RollingUpdateDeployment, path: Path, errors: FieldErrors): void {
  const { maxUnavailable = 1, maxSurge = 1 } = rollingUpdate;
  const where = path.at('maxUnavailable');
  validateIntOrPercent(maxUnavailable, where, errors);
  validateIntOrPercent(maxSurge, path.at('maxSurge'), errors);
  if (isNone(maxUnavailable) && isNone(maxSurge)) {
    errors.invalid(where, maxUnavailable, 'no pod could ever be replaced: maxSurge is 0, too');
  }
  if ((percentOf(maxUnavailable) ?? 0) > 100) errors.invalid(where, maxUnavailable, 'must not be above 100%');
}
