import type { ObjectName } from '../../client/object-name.ts';
import { configMap as configMapKind } from '../../kinds/core/config-map.ts';
import type { Volume } from '../../kinds/core/pod/volume.ts';
import type { KeyToPath } from '../../kinds/core/pod/pod-volume-sources.ts';
import { secret as secretKind } from '../../kinds/core/secret.ts';
import type { Kind } from '../../kinds/kind.ts';
import type { ApiObject } from '../../kinds/meta/object-meta.ts';
import { fieldValue } from '../environment/field-value.ts';
import type { Files } from './atomic-files.ts';
import { VolumeError, type VolumeOwner } from './volume.ts';

/** The object that a volume shows as files, if it shows one. */
export function shownObject(volume: Volume): { readonly kind: Kind; readonly name: string } | undefined {
  if (volume.configMap) return { kind: configMapKind, name: volume.configMap.name };
  if (volume.secret) return { kind: secretKind, name: volume.secret.secretName };
  return undefined;
}

/** Reads single objects, as `FollowedObjects` does. */
export type ReadObject = <T extends ApiObject>(kind: Kind<T>, name: ObjectName) => Promise<T>;

/** What is to be in a volume of files now; nothing for volumes of other sorts. Fails as a client does where an object cannot be read. */
export async function volumeFiles(volume: Volume, owner: VolumeOwner, read: ReadObject): Promise<Files | undefined> {
  const { namespace } = owner.pod.metadata;
  if (volume.configMap) {
    const { name, items } = volume.configMap;
    const { data = {} } = await read(configMapKind, { namespace, name });
    return chosenFiles(data, items, { encoding: 'utf8', owner: `config map ${namespace}/${name}` });
  }
  if (volume.secret) {
    const { secretName: name } = volume.secret;
    const { data = {} } = await read(secretKind, { namespace, name });
    return chosenFiles(data, undefined, { encoding: 'base64', owner: `secret ${namespace}/${name}` });
  }
  return volume.downwardAPI && fieldFiles(volume, owner);
}

function chosenFiles(
  data: Readonly<Record<string, string>>,
  items: readonly KeyToPath[] | undefined,
  { encoding, owner }: { encoding: BufferEncoding; owner: string },
): Files {
  const chosen = items?.length ? items : Object.keys(data).map((key) => ({ key, path: key }));
  return new Map(
    chosen.map(({ key, path }) => {
      const text = Object.hasOwn(data, key) ? data[key] : undefined;
      if (text === undefined) throw new VolumeError(`${owner} has no key ${JSON.stringify(key)}`);
      return [path, Buffer.from(text, encoding)];
    }),
  );
}

function fieldFiles({ downwardAPI }: Volume, { pod, whereabouts }: VolumeOwner): Files {
  return new Map(
    (downwardAPI?.items ?? []).map(({ path, fieldRef }) => {
      const value = fieldValue(pod, fieldRef.fieldPath, whereabouts);
      if (value === undefined) throw new VolumeError(`pods cannot have ${fieldRef.fieldPath} as a file`);
      return [path, Buffer.from(value)];
    }),
  );
}
