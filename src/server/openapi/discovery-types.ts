import { boolean, list, object, string, strings, one } from '../../schema/builders.ts';
import type { ObjectSchema } from '../../schema/schema.ts';

const versionOfGroup: ObjectSchema = object('v1.GroupVersionForDiscovery', 'A version of a group.', {
  groupVersion: string('Group and version, as objects name them.').mandatory(),
  version: string('The version alone.').mandatory(),
});

const serverAddress: ObjectSchema = object(
  'v1.ServerAddressByClientCIDR',
  'Where clients of one network reach the server.',
  {
    clientCIDR: string('The network that the client is in.').mandatory(),
    serverAddress: string('Host and port of the server.').mandatory(),
  },
);

function listFields(kind: string): { kind: ReturnType<typeof string>; apiVersion: ReturnType<typeof string> } {
  return { kind: string(`Always ${kind}.`), apiVersion: string('Always v1.') };
}

const serverAddresses = list(serverAddress, 'Where clients reach the server, by the network they are in.');

export const apiVersions: ObjectSchema = object('v1.APIVersions', 'The versions of the core group.', {
  ...listFields('APIVersions'),
  versions: strings('The versions.').mandatory(),
  serverAddressByClientCIDRs: serverAddresses.mandatory(),
});

export const apiGroup: ObjectSchema = object('v1.APIGroup', 'A named group and its versions.', {
  ...listFields('APIGroup'),
  name: string('Name of the group.').mandatory(),
  versions: list(versionOfGroup, 'The versions that are served.').mandatory(),
  preferredVersion: one(versionOfGroup, 'The version that clients should use.'),
  serverAddressByClientCIDRs: serverAddresses,
});

export const apiGroupList: ObjectSchema = object('v1.APIGroupList', 'All named groups.', {
  ...listFields('APIGroupList'),
  groups: list(apiGroup, 'The groups.').mandatory(),
});

const apiResource: ObjectSchema = object('v1.APIResource', 'A resource or sub-resource and what can be done with it.', {
  name: string('Path segment; of a sub-resource with that of its resource before it.').mandatory(),
  singularName: string('Name of a single one.').mandatory(),
  namespaced: boolean('Whether objects live in namespaces.').mandatory(),
  group: string('Group of the kind, where it is not that of the list.'),
  version: string('Version of the kind, where it is not that of the list.'),
  kind: string('Kind of the objects.').mandatory(),
  verbs: strings('What can be done.').mandatory(),
  shortNames: strings('Other names for use on the command line.'),
  categories: strings('Sets of resources that this one belongs to, such as all.'),
  storageVersionHash: string('Changes when objects are stored in another form.'),
});

export const apiResourceList: ObjectSchema = object('v1.APIResourceList', 'What is served in a group and version.', {
  ...listFields('APIResourceList'),
  groupVersion: string('The group and version.').mandatory(),
  resources: list(apiResource, 'The resources and sub-resources.').mandatory(),
});
