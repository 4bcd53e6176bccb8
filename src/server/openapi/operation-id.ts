import type { Place } from './places.ts';

const words: Readonly<Record<string, string>> = {
  get: 'read',
  post: 'create',
  put: 'replace',
  deletecollection: 'delete',
  watchlist: 'watch',
};

/** The name that client generators make methods from: `listCoreV1NamespacedPod`. */
export function operationId(place: Place, kind: string, action: string, method: string): string {
  const { group, version, namespaced, scope, subresource = '' } = place;
  const home = homeWord(group, version);
  const verb = place.form === 'proxy' ? 'proxy' : (words[action] ?? action);
  const how = action === 'connect' ? capital(method.toLowerCase()) : '';
  const collection = action === 'deletecollection' ? 'Collection' : '';
  const where = namespaced && scope !== 'everywhere' ? 'Namespaced' : '';
  const what = `${capital(kind)}${place.form === 'proxy' ? '' : capital(subresource)}`;
  const many = action === 'watchlist' ? 'List' : '';
  const everywhere = namespaced && scope === 'everywhere' ? 'ForAllNamespaces' : '';
  return `${verb}${home}${how}${collection}${where}${what}${many}${everywhere}${place.takesPath ? 'WithPath' : ''}`;
}

/** `CoreV1`; of a group without a version `Core`. */
export function homeWord(group: string, version = ''): string {
  return `${groupWord(group)}${capital(version)}`;
}

/** `core_v1`: what client generators make classes from. */
export function operationTag(group: string, version?: string): string {
  const word = groupWord(group);
  const tag = `${word.charAt(0).toLowerCase()}${word.slice(1)}`;
  return version === undefined ? tag : `${tag}_${version}`;
}

/** `rbac.authorization.k8s.io` becomes `RbacAuthorization`. */
function groupWord(group: string): string {
  if (group === '') return 'Core';
  return group
    .replace(/\.k8s\.io$/, '')
    .split('.')
    .map(capital)
    .join('');
}

function capital(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}
