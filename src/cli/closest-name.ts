/** The name that was probably meant; undefined when none comes near. */
export function closestName(given: string, names: readonly string[]): string | undefined {
  const normal = given.toLowerCase().replaceAll('_', '-');
  let best: { name: string; distance: number } | undefined;
  for (const name of names) {
    const distance = editDistance(normal, name);
    if (distance < (best?.distance ?? Infinity)) best = { name, distance };
  }
  const limit = Math.max(1, Math.floor(normal.length / 3));
  if (best && best.distance <= limit) return best.name;
  return normal.length >= 3 ? names.find((name) => name.startsWith(normal) || name.endsWith(normal)) : undefined;
}

/** How many letters have to be put in, taken out or changed. */
function editDistance(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, index) => index);
  for (let i = 1; i <= a.length; i++) {
    const next = [i];
    for (let j = 1; j <= b.length; j++) {
      const change = (row[j - 1] ?? 0) + (a[i - 1] === b[j - 1] ? 0 : 1);
      next.push(Math.min(change, (row[j] ?? 0) + 1, (next[j - 1] ?? 0) + 1));
    }
    row = next;
  }
  return row[b.length] ?? 0;
}
