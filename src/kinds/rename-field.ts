/**
 * Where a field stands under its new name: the longest renamed place that it is, or lies in, gives way to the new one.
 * `{ 'spec.ref': 'spec.target' }` makes `spec.target.name` out of `spec.ref.name`, and leaves `spec.reference` as it is. Places leave out which
 * item of a list is meant; it is kept.
 */
export function renameField(renamed: Readonly<Record<string, string>>, field: string): string {
  const segments = segmentsOf(field);
  let longest: readonly string[] = [];
  let target = '';
  for (const [place, to] of Object.entries(renamed)) {
    const names = place.split('.');
    if (names.length > longest.length && names.every((name, i) => segments[i]?.name === name)) {
      [longest, target] = [names, to];
    }
  }
  if (longest.length === 0) return field;
  const names = target.split('.');
  const items = names.map((name, i) => (i < names.length - 1 && segments[i]?.name === name ? segments[i].item : ''));
  items[names.length - 1] = segments[longest.length - 1]!.item;
  const rest = segments.slice(longest.length).map(({ name, item }) => name + item);
  return [...names.map((name, i) => name + items[i]), ...rest].join('.');
}

interface Segment {
  readonly name: string;
  /** Which item or key of it, in brackets. */
  readonly item: string;
}

function segmentsOf(field: string): Segment[] {
  return Array.from(field.matchAll(/([^.[]+)((?:\[[^\]]*\])*)/g), ([, name = '', item = '']) => ({ name, item }));
}
