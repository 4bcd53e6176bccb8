interface Condition {
  readonly type: string;
  readonly status: string;
  readonly lastTransitionTime?: string;
}

/** The conditions that a node reports, with the moment since when each is as it is, and behind them those that others keep. */
export function reportedConditions<T extends Condition>(
  ours: readonly T[],
  old: readonly T[] | undefined,
  time: string,
): T[] {
  const before = old ?? [];
  const others = before.filter(({ type }) => !ours.some((our) => our.type === type));
  return [
    ...ours.map((condition) => {
      const last = before.find(({ type }) => type === condition.type);
      const since = last?.status === condition.status ? last.lastTransitionTime : undefined;
      return { ...condition, lastTransitionTime: since ?? time };
    }),
    ...others,
  ];
}
