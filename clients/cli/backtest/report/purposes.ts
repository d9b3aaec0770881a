import type { Purpose } from "../../../../shared/accounting/index.ts";

export interface ShownPurpose {
  readonly purpose: Purpose;
  readonly words: string;
  /** At least 3 to 1 against the page, light or dark; in a stack a line of the page's colour keeps neighbours apart. */
  readonly light: string;
  readonly dark: string;
}

/** What time on nodes was for, from the bottom of a stack to its top: what was wanted first. */
export const purposes: readonly ShownPurpose[] = [
  { purpose: "job", words: "jobs", light: "#1f5fa8", dark: "#5b9be6" },
  { purpose: "unused", words: "unused beside jobs", light: "#5d93c9", dark: "#2f6199" },
  { purpose: "boot", words: "booting", light: "#b36b00", dark: "#f0b44c" },
  { purpose: "idle", words: "idle", light: "#c0392b", dark: "#e8695c" },
  { purpose: "drained", words: "drained", light: "#6c4fa3", dark: "#a98fe0" },
  { purpose: "kept", words: "kept alive", light: "#2f7d4f", dark: "#5fbf87" },
  { purpose: "failed", words: "failed", light: "#7a1f3d", dark: "#d9709a" },
  { purpose: "ending", words: "being deleted", light: "#5f6670", dark: "#9aa3ad" },
];

export const otherColours = {
  nodes: { light: "#8a949e", dark: "#6b7683" },
  running: { light: "#1f5fa8", dark: "#5b9be6" },
  waiting: { light: "#b3261e", dark: "#f2837a" },
  front: { light: "#1f5fa8", dark: "#5b9be6" },
  beaten: { light: "#6b7280", dark: "#9aa3ad" },
  bound: { light: "#2f7d4f", dark: "#5fbf87" },
} as const;
