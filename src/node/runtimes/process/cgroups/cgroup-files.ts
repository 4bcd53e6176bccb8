import { readFile, rmdir } from 'node:fs/promises';

/** The text of a control file; empty for one that is not there. */
export async function readControl(path: string): Promise<string> {
  try {
    return await readFile(path, 'utf8');
  } catch {
    return '';
  }
}

/** The number that stands behind a name in a control file with one name a line; 0 where the name is missing. */
export function counter(text: string, name: string): number {
  return Number(new RegExp(`^${name} (\\d+)$`, 'm').exec(text)?.[1] ?? 0);
}

/** Memory that a group uses, without what the kernel would give up for the asking: contents of files that nobody has touched for long. */
export async function workingSet(usageFile: string, statFile: string, inactive: string): Promise<number | undefined> {
  const [usage, stat] = await Promise.all([readControl(usageFile), readControl(statFile)]);
  return usage === '' ? undefined : Math.max(0, Number(usage) - counter(stat, inactive));
}

/** Removes a group without processes; its files are not ours to remove. One that is gone is fine. */
export async function removeGroup(path: string): Promise<void> {
  try {
    await rmdir(path);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
  }
}
