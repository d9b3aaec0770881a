import type { CheckView, PlanRecordView } from "../api/index.ts";
import { duration } from "../text/durations.ts";
import { counted } from "../text/text.ts";

/** Plans are kept for so long; see docs/storage.md. */
const keptDays = 30;
/** Some 2 USD a month for a cluster; 5,000 nodes with a plan a minute keep 36. */
const mostGigabytes = 100;
/** Plans come in bursts: a shorter time shows no rate. */
const leastSeconds = 3_600;

/** How fast what a cluster stores grows: nearly all of it is archived plans. Takes its newest plans, the newest first. */
export function checkStorage(plans: readonly PlanRecordView[], nowSeconds: number): CheckView {
  const about = { check: "storage" };
  const sizes = plans.flatMap(({ archivedBytes }) => archivedBytes ?? []);
  const oldest = plans.at(-1);
  if (oldest === undefined || sizes.length === 0)
    return { ...about, state: "notice", text: "No plan was archived yet.", next: null };
  const bytes = sizes.reduce((sum, each) => sum + each, 0) / sizes.length;
  const seconds = nowSeconds - oldest.atSeconds;
  const each = `${counted(plans.length, "plans")} of ${inWords(bytes)} each in ${duration(seconds)}`;
  if (seconds < leastSeconds)
    return { ...about, state: "notice", text: `${each}. An hour shows how fast it grows.`, next: null };
  const daily = (bytes * plans.length * 86_400) / seconds;
  const kept = daily * keptDays;
  const text = `Grows by ${inWords(daily)} a day (${each}), up to ${inWords(kept)}: plans are kept for ${keptDays} days.`;
  if (kept <= mostGigabytes * 1e9) return { ...about, state: "ok", text, next: null };
  const next =
    "Each demand that changed and each snapshot makes a plan: raise `interval_seconds` of the agents, and `snapshot_interval`.";
  return { ...about, state: "notice", text, next };
}

function inWords(bytes: number): string {
  const [unit, size] = bytes >= 1e9 ? ["GB", 1e9] : bytes >= 1e6 ? ["MB", 1e6] : ["KB", 1e3];
  return `${Number((bytes / size).toPrecision(2))} ${unit}`;
}
