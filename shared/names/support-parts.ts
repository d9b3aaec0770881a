/** What a support archive is made of, but for the archived plans, which are asked for one by one. */
export const supportParts = [
  "service",
  "config",
  "snapshot",
  "control",
  "demand",
  "targets",
  "history",
  "losses",
  "operations",
  "rejects",
  "plan-head",
  "plans",
] as const;

export type SupportPart = (typeof supportParts)[number];
