import type { CauseView } from "../../api/index.ts";
import type { Reason, SharedDraw } from "../../engine/index.ts";
import type { Outlook } from "../outlook.ts";
import { amount, cause, figures, shown } from "./cause.ts";

/** A shared pool (licences) that is empty, used up by the jobs before this one, or described by nobody. */
export function poolCause(outlook: Outlook, reason: Reason): CauseView {
  const { constraint, asked, left } = reason;
  const draws = constraint?.kind === "shared-consumable" ? constraint.draws : [];
  const draw = draws.find((each) => each.amount === asked) ?? draws[0];
  const pool = `"${draw?.pool ?? "unknown"}"`;
  if (reason.code === "UndefinedResource")
    return cause("never-satisfiable", {
      text: `Nobody says how much the shared pool ${pool} holds.`,
      next: 'Let the job give "current-value" and "initial-value", or describe the pool under "shared_pools" in the configuration.',
      ...figures(reason),
    });
  const holds = draw === undefined ? null : holdsNow(outlook, draw);
  const before = holds === null ? 0 : holds - amount(left);
  const of = draw?.initial == null ? "" : ` of ${shown(draw.initial)}`;
  const used =
    before > 0 && holds !== null
      ? `${shown(holds)}${of} are free, and the jobs before it take ${shown(before)} of these: ${shown(left)} left`
      : `${shown(left)}${of} are free`;
  return cause("pool-empty", {
    text: `The shared pool ${pool} is too low: ${used}, ${shown(asked)} wanted ${draw?.once === true ? "for the job" : "per place"}.`,
    next: "It fits when running jobs give some back, or when the pool grows: `ccscale jobs --state running`.",
    ...figures(reason),
  });
}

/** As the plan found it: the configuration's word counts before a job's. */
function holdsNow({ input }: Outlook, { pool, source, current }: SharedDraw): number | null {
  const configured = input.settings.sharedPools.find(
    (each) => each.name === pool && (each.source === null || each.source === source),
  );
  return configured?.current ?? current;
}
