import type { Deployment } from '../../kinds/extensions/deployment.ts';
import {
  deploymentRollback as rollbackSchema,
  type DeploymentRollback,
} from '../../kinds/extensions/deployment-rollback.ts';
import { badRequest, invalid } from '../../kinds/meta/api-error.ts';
import type { Status } from '../../kinds/meta/status.ts';
import { validate } from '../../schema/validate.ts';
import type { ObjectAddress } from '../address.ts';
import { decodeBody, type BodyType } from '../decode-body.ts';
import type { RegistryContext } from '../registry.ts';
import type { StoredObject } from '../stored-object.ts';
import { success } from '../success.ts';
import { change } from '../update.ts';
import type { WriteRequest } from '../write.ts';

export const rollbackType: BodyType<DeploymentRollback> = {
  kind: 'DeploymentRollback',
  apiVersion: 'extensions/v1beta1',
  schema: rollbackSchema,
};

/** Notes in a deployment what it is to go back to; its controller does it and takes the note away. */
export async function rollback(
  context: RegistryContext,
  address: ObjectAddress,
  request: WriteRequest,
): Promise<Status> {
  const { object: body } = decodeBody(rollbackType, request.body, request.fieldValidation);
  const errors = validate(rollbackSchema, body);
  if (errors.any) throw invalid({ group: 'extensions', kind: 'DeploymentRollback', name: body.name }, errors.list);
  if (body.name !== address.name) {
    throw badRequest(`the body's name is "${body.name}", the path's is "${address.name}"`);
  }
  await change(context, address, request, {
    next(current) {
      const deployment = (current as StoredObject<Deployment>).thaw();
      deployment.spec.rollbackTo = body.rollbackTo ?? {};
      if (body.updatedAnnotations) {
        deployment.metadata.annotations = { ...deployment.metadata.annotations, ...body.updatedAnnotations };
      }
      return deployment;
    },
  });
  return success();
}
