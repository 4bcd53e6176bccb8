import { strings, type FieldBuilder } from '../../schema/builders.ts';
import type { FieldErrors } from '../../schema/field-errors.ts';
import type { Path } from '../../schema/path.ts';

/** The ways in which a volume can be mounted. */
export const accessModes = ['ReadWriteOnce', 'ReadOnlyMany', 'ReadWriteMany'] as const;

export function accessModesField(description: string): FieldBuilder<string[]> {
  return strings(description);
}

/** At least one mode, all known. The reference names the list, not the item. */
export function validateAccessModes(modes: readonly string[] | undefined, path: Path, errors: FieldErrors): void {
  if (!modes?.length) errors.required(path, 'give at least one access mode');
  for (const mode of modes ?? []) {
    if (!(accessModes as readonly string[]).includes(mode)) errors.notSupported(path, mode, accessModes);
  }
}

const modeLetters: Readonly<Record<string, string>> = {
  ReadWriteOnce: 'RWO',
  ReadOnlyMany: 'ROX',
  ReadWriteMany: 'RWX',
};

/** The modes in few characters, as tables show them: `RWO,ROX`. */
export function accessModeLetters(modes: readonly string[] = []): string {
  return [...new Set(modes)].map((mode) => modeLetters[mode] ?? mode).join(',');
}
