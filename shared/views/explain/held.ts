import type { CauseView } from "../../api/index.ts";
import { untilText } from "../../cycle/index.ts";
import { duration, exactDuration } from "../../text/durations.ts";
import type { Outlook } from "../outlook.ts";
import { cause } from "./cause.ts";

/** Whether what is known of the nodes is too old to plan with. */
export function staleness({ snapshot, config, atSeconds }: Outlook): readonly CauseView[] {
  const age = Math.ceil(atSeconds - snapshot.takenAtSeconds);
  const most = config.cycle.maxSnapshotAgeSeconds;
  if (age <= most) return [];
  return [
    cause("snapshot-stale", {
      text: `Nothing is planned: the snapshot of the cluster is ${exactDuration(age)} old, expected at most ${exactDuration(most)}.`,
      next: "See whether CycleCloud answers and the snapshot timer runs: `ccscale status`.",
      asked: most,
      left: age,
    }),
  ];
}

/** What keeps every plan of the cluster from being made or sent. At most one; the next shows when this one is gone. */
export function heldBy(outlook: Outlook): readonly CauseView[] {
  const { held, control, config, atSeconds } = outlook;
  if (held === undefined) return [];
  const stale = staleness(outlook);
  if (stale.length > 0) return stale;
  if (config.cycle.readOnly)
    return [
      cause("read-only", {
        text: "Nothing is sent: the cluster is read-only.",
        next: 'Set "read_only" to false and store the configuration: `ccscale config push FILE`.',
      }),
    ];
  const { paused, refusedLogin } = control;
  if (paused !== null)
    return [
      cause("cluster-paused", {
        text: `Nothing is sent: ${paused.by} paused the cluster ${duration(atSeconds - paused.atSeconds)} ago${untilText(paused)}: ${paused.reason}.`,
        next: "Let it go on: `ccscale resume --reason WORDS`.",
      }),
    ];
  const since =
    refusedLogin === null
      ? ""
      : ` ${duration(atSeconds - refusedLogin.atSeconds)} ago: ${refusedLogin.message}`;
  return [
    cause("login-refused", {
      text: `Nothing is sent: CycleCloud refused the login${since}.`,
      next:
        refusedLogin?.resumedAtSeconds === undefined
          ? "Correct the user name or the password, then try once more: `ccscale resume --reason WORDS`."
          : "Wait: one of the next snapshots tries it once more.",
    }),
  ];
}

/** What is short comes before what holds the whole cluster, unless the snapshot is too old: then its figures come last. */
export function withHolds(
  holds: readonly CauseView[],
  shortages: readonly CauseView[],
): readonly CauseView[] {
  if (shortages.length === 0 || holds.some(({ kind }) => kind === "snapshot-stale"))
    return [...holds, ...shortages];
  return [...shortages, ...holds.map(besides)];
}

function besides(hold: CauseView): CauseView {
  return { ...hold, text: `Besides, ${hold.text.charAt(0).toLowerCase()}${hold.text.slice(1)}` };
}
