import type { JobsCost } from "../api/index.ts";
import { kindName, largestShare, sizesByKind } from "../engine/index.ts";
import { inMilliCents } from "../prices/index.ts";
import type { OutlookJob } from "./job-states.ts";
import type { Outlook } from "./outlook.ts";

const secondsPerHour = 3_600;

/**
 * What jobs will cost where the plan puts them: of each node the largest of their shares, as the accounts will count it. A job
 * that has a place for a part of it costs in total what that part costs, times what it asks for.
 */
export function priceJobs({ input, nodesByName }: Outlook, jobs: readonly OutlookJob[]): JobsCost {
  const sizes = sizesByKind(input.cluster);
  const sum = { usdPerHour: 0, usd: 0, timed: 0, untimedJobs: 0, unpricedJobs: 0 };
  for (const { job, outcome } of jobs) {
    if (outcome.granted === 0) continue;
    const perHour = outcome.placements.map(({ node: name, slots }) => {
      const node = nodesByName.get(name);
      const price = (node && sizes.get(kindName(node))?.pricePerHourUsd) ?? null;
      if (node === undefined || price === null) return null;
      return price * Math.min(1, slots * largestShare(job, node.resources));
    });
    if (perHour.some((usd) => usd === null)) {
      sum.unpricedJobs += 1;
      continue;
    }
    const usdPerHour = perHour.reduce<number>((all, usd) => all + (usd ?? 0), 0);
    sum.usdPerHour += usdPerHour;
    if (job.runtimeSeconds === null) {
      sum.untimedJobs += 1;
      continue;
    }
    sum.timed += 1;
    sum.usd += (usdPerHour * (outcome.asked / outcome.granted) * job.runtimeSeconds) / secondsPerHour;
  }
  const { usdPerHour, usd, timed, untimedJobs, unpricedJobs } = sum;
  return {
    usdPerHour: inMilliCents(usdPerHour),
    usd: timed === 0 ? null : inMilliCents(usd),
    untimedJobs,
    unpricedJobs,
  };
}
