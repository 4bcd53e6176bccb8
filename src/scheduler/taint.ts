/** In the reference's time taints and tolerations are not yet fields but JSON under these keys. */
export const taintsAnnotation = 'scheduler.alpha.kubernetes.io/taints';
export const tolerationsAnnotation = 'scheduler.alpha.kubernetes.io/tolerations';

/** Keeps pods off a node (`NoSchedule`), or makes it the last choice (`PreferNoSchedule`). */
export interface Taint {
  readonly key: string;
  readonly value: string;
  readonly effect: string;
}

/** Lets a pod onto nodes with certain taints. Empty parts stand for any. */
export interface Toleration {
  readonly key: string;
  readonly operator: string;
  readonly value: string;
  readonly effect: string;
}

type Annotations = Readonly<Record<string, string>> | undefined;

/** The taints of a node; nothing when they cannot be read. */
export function taintsOf(annotations: Annotations): readonly Taint[] | undefined {
  return recordsOf(annotations?.[taintsAnnotation])?.map((record) => ({
    key: textOf(record['key']),
    value: textOf(record['value']),
    effect: textOf(record['effect']),
  }));
}

/** What a pod tolerates; nothing at all when that cannot be read. */
export function tolerationsOf(annotations: Annotations): readonly Toleration[] {
  const records = recordsOf(annotations?.[tolerationsAnnotation]) ?? [];
  return records.map((record) => ({
    key: textOf(record['key']),
    operator: textOf(record['operator']) || 'Equal',
    value: textOf(record['value']),
    effect: textOf(record['effect']),
  }));
}

export function isTolerated(taint: Taint, tolerations: readonly Toleration[]): boolean {
  return tolerations.some((toleration) => tolerates(toleration, taint));
}

function tolerates({ key, operator, value, effect }: Toleration, taint: Taint): boolean {
  if (effect !== '' && effect !== taint.effect) return false;
  if (key === '') return operator === 'Exists';
  if (key !== taint.key) return false;
  return operator === 'Exists' || (operator === 'Equal' && value === taint.value);
}

function recordsOf(text: string | undefined): readonly Record<string, unknown>[] | undefined {
  if (!text) return [];
  try {
    const list: unknown = JSON.parse(text);
    return Array.isArray(list) && list.every(isRecord) ? list : undefined;
  } catch {
    return undefined;
  }
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : '';
}
