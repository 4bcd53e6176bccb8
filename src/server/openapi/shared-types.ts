import { any, list, object, one, string } from '../../schema/builders.ts';
import type { ObjectSchema } from '../../schema/schema.ts';
import type { ServedVersion } from '../../kinds/served-version.ts';
import { deleteOptions } from '../../kinds/meta/delete-options.ts';
import { labelSelector } from '../../kinds/meta/label-selector.ts';
import { listMeta, objectMeta } from '../../kinds/meta/object-meta.ts';
import { status } from '../../kinds/meta/status.ts';
import { apiGroup, apiGroupList, apiResourceList, apiVersions } from './discovery-types.ts';

export const watchEvent: ObjectSchema = object('v1.WatchEvent', 'One change in a stream of changes.', {
  type: string('ADDED, MODIFIED, DELETED, BOOKMARK or ERROR.').mandatory(),
  object: any('The object after the change, before it was deleted, or a Status that says what is wrong.').mandatory(),
});

export const patch: ObjectSchema = object('v1.Patch', 'A change; its media type says how it is written.', {});

/** Types that belong to no single group; with what they are made of. */
export const sharedTypes: readonly ObjectSchema[] = [
  objectMeta,
  listMeta,
  status,
  deleteOptions,
  labelSelector,
  watchEvent,
  patch,
  apiVersions,
  apiGroup,
  apiGroupList,
  apiResourceList,
];

/** What a list of objects of a kind looks like. */
export function listSchema({ kind, version, schema }: ServedVersion): ObjectSchema {
  return object(`${version}.${kind.kind}List`, `A list of objects of kind ${kind.kind}.`, {
    kind: string(`Always ${kind.kind}List.`),
    apiVersion: string('Group and version that the list is written in.'),
    metadata: one(listMeta, 'What the list says about itself.'),
    items: list(schema, 'The objects.').mandatory(),
  });
}
