/**
 * The names under which an image may be listed, the most exact first: as written, without digest and tag, without the registry, and the last
 * part alone. `gcr.io/google_containers/pause:2.0` is found under `google_containers/pause` and under `pause`.
 */
export function lookupNames(image: string): string[] {
  const [tagged = ''] = image.split('@');
  const untagged = withoutTag(tagged);
  const names = [image, tagged, untagged];
  for (const name of [tagged, untagged])
    names.push(withoutRegistry(name), withoutRegistry(name).replace(/^library\//, ''));
  for (const name of [tagged, untagged]) names.push(name.slice(name.lastIndexOf('/') + 1));
  return [...new Set(names)].filter((name) => name !== '');
}

function withoutTag(name: string): string {
  const lastPart = name.lastIndexOf('/') + 1;
  const colon = name.indexOf(':', lastPart);
  return colon < 0 ? name : name.slice(0, colon);
}

/** The first part is a registry when it looks like a host. */
function withoutRegistry(name: string): string {
  const [first = '', ...rest] = name.split('/');
  const isHost = rest.length > 0 && (first.includes('.') || first.includes(':') || first === 'localhost');
  return isHost ? rest.join('/') : name;
}
