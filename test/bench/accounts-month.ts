import { type DayPage, type JobTotal, jobKey, type Line } from "../../shared/accounting/index.ts";

const daySeconds = 86_400;
const arrays = ["htc", "hpc", "gpu"];
const users = 500;

export interface Tenant {
  readonly untilSeconds: number;
  readonly days: number;
  readonly nodes: number;
  /** That ran on each day. */
  readonly jobs: number;
}

/** Closed days of a cluster with this many nodes: each user in each array, and the thousand dearest jobs. */
export function monthOfPages({ untilSeconds, days, nodes, jobs }: Tenant): readonly DayPage[] {
  const today = Math.floor(untilSeconds / daySeconds) * daySeconds;
  return Array.from({ length: days }, (_, day): DayPage => {
    const fromSeconds = today - (days - day) * daySeconds;
    const nodeMs = (nodes * daySeconds * 1_000) / (users * arrays.length);
    const amount = (part: number) => ({
      nodeMs: Math.round(nodeMs * part) + day,
      nanoUsd: Math.round(nodeMs * part * 55.5) + day,
      unpricedNodeMs: 0,
      runs: Math.round((part * jobs) / (users * arrays.length)),
    });
    const where = (nodeArray: string) => ({
      nodeArray,
      vmSize: "Standard_F4s_v2",
      spot: nodeArray === "htc",
    });
    const nobody = { user: null, account: null, queue: null };
    const lines = arrays.flatMap((queue): Line[] => [
      ...Array.from({ length: users }, (_, user): Line => {
        const who = { user: `user-${user}`, account: `group-${user % 50}`, queue };
        return { purpose: "job", ...where(queue), ...who, ...amount(0.8) };
      }),
      ...(["unused", "boot", "idle", "drained", "ending"] as const).map(
        (purpose): Line => ({ purpose, ...where(queue), ...nobody, ...amount(20), runs: 0 }),
      ),
    ]);
    const page = { fromSeconds, untilSeconds: fromSeconds + daySeconds, lines };
    const dearest = runsOfDay(page, 1_000);
    const others = { ...amount(1), jobs: Math.max(0, jobs - dearest.length) };
    return { ...page, nodes: [], jobs: { dearest, others, othersByOwner: [] } };
  });
}

/** Runs that ended on the day. */
function runsOfDay({ fromSeconds }: Pick<DayPage, "fromSeconds">, count: number): readonly JobTotal[] {
  return Array.from({ length: count }, (_, index): JobTotal => {
    const name = `${fromSeconds + index}`;
    return {
      key: jobKey("slurm", name),
      source: "slurm",
      name,
      user: `user-${index % users}`,
      account: `group-${index % 50}`,
      queue: "hpc",
      nodeArray: "hpc",
      vmSize: "Standard_F4s_v2",
      spot: false,
      nodeMs: 86_400_123 + index,
      nanoUsd: 4_795_206_827 + index,
      unpricedNodeMs: 0,
      runs: 1,
      firstSeconds: fromSeconds + index,
      lastSeconds: fromSeconds + 80_000,
    };
  });
}
