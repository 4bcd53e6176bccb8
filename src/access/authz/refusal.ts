import { forbidden, pathForbidden, type ApiError } from '../../kinds/meta/api-error.ts';
import type { User } from '../../registry/write.ts';
import { resourceOf, type RequestAction } from './request-action.ts';

/** 403, in words that tell nothing but what was asked. */
export function actionRefusal({ name: userName }: User, action: RequestAction): ApiError {
  const who = `user ${JSON.stringify(userName)}`;
  const { verb, path, group = '', resource, namespace, name } = action;
  if (resource === undefined) return pathForbidden(path, `${who} cannot ${verb} this path`);
  const what = `${resourceOf(action)}${group && ` of group ${JSON.stringify(group)}`}`;
  const where = namespace ? `in the namespace ${JSON.stringify(namespace)}` : 'in the whole cluster';
  return forbidden({ group, resource, name }, `${who} cannot ${verb} ${what} ${where}`);
}
