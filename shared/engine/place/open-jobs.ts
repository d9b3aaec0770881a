import { Effort } from "../ledger/effort.ts";
import type { KnownResources } from "../ledger/known-resources.ts";
import { askedBy } from "../model/job.ts";
import type { PlanInput } from "../model/plan-input.ts";
import { demandCapsOf } from "../model/settings.ts";
import type { Allocation } from "./allocation.ts";
import { DemandGate } from "./demand-gate.ts";
import { noRefusals, type Shapes } from "./shape.ts";

/** The jobs as they are before anything is placed; of those that a cap or a budget holds back, only what they run on counts. */
export function openJobs(
  { jobs, settings }: Pick<PlanInput, "jobs" | "settings">,
  resources: KnownResources,
  shapes: Shapes,
): readonly Allocation[] {
  const caps = demandCapsOf(settings);
  const gate = new DemandGate(caps, resources);
  const effort = new Effort(caps.maxPlanChecks, new Set(jobs.map(({ source }) => source)));
  return jobs.map((job) => {
    const hit = gate.check(job);
    return {
      job,
      // Too low a priority makes no job large: it is read whole.
      shape: shapes.of(hit === null || hit.cap === "min-priority" ? job : gate.plainPart(job)),
      asked: askedBy(job),
      share: effort.of(job.source),
      heldBy: hit ?? job.hold ?? null,
      owners: noOwners,
      granted: 0,
      placements: [],
      runsOn: null,
      avoids: null,
      group: null,
      refusals: noRefusals,
    };
  });
}

const noOwners: Allocation["owners"] = [];
