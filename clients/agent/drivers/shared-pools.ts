/** What a job takes of something that jobs share, wherever they run: a licence, a limit. */
export interface Draw {
  readonly name: string;
  readonly requested: number;
  readonly total: number;
  readonly free: number;
}

/** As a constraint; empty without draws. `once`: however many slots or nodes a job has. */
export function poolsConstraint(
  draws: readonly Draw[],
  { once }: { readonly once: boolean },
): Readonly<Record<string, unknown>> {
  if (draws.length === 0) return {};
  return {
    "shared-consumable-constraint": draws.map(({ name, requested, total, free }) => ({
      "resource-name": name,
      requested,
      "initial-value": total,
      "current-value": free,
      ...(once ? { "decrement-once": true } : {}),
    })),
  };
}
