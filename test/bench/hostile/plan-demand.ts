import { measurePlan } from "../../../shared/cycle/index.ts";
import { plan } from "../../../shared/engine/index.ts";
import type { WholePlan } from "../../../shared/ports/index.ts";
import { packPlan } from "../../../shared/ports/packed-plan.ts";
import { jobSentences } from "../../../shared/views/index.ts";
import { type Figures, type HostileCase, heapMb, timed } from "./case.ts";
import { type DemandKind, demandKinds, planInputOf } from "./demand-kinds.ts";

const bytes = 10_000_000;

/** 10 MB of each kind of demand: a plan of it, what is measured and shown of it, and its JSON for the archive. */
export const planDemandCases: readonly HostileCase[] = demandKinds.map((kind) => ({
  name: `plan: ${kind.name}`,
  run: () => planOf(kind),
}));

function planOf(kind: DemandKind): Figures {
  const [readSeconds, input] = timed(() => planInputOf(kind, bytes));
  const inputMb = heapMb();
  const [planSeconds, planned] = timed(() => plan(input));
  const planMb = heapMb() - inputMb;
  const ports = { telemetry: { record: () => {} }, clock: { nowSeconds: () => 0 } } as unknown as Parameters<
    typeof measurePlan
  >[0];
  const [reasonSeconds] = timed(() => {
    measurePlan(ports, { cluster: "bench", startedAtSeconds: 0, plan: planned, before: [] });
    return planned.jobs
      .filter(({ asked, granted }) => granted < asked)
      .slice(0, 20)
      .map(jobSentences);
  });
  const whole = { archive: "whole", input, plan: planned, actions: [] } as unknown as WholePlan;
  const [archiveSeconds, archive] = timed(() => JSON.stringify(packPlan(whole)));
  const placed = planned.jobs.filter(({ asked, granted }) => granted >= asked).length;
  return {
    jobs: input.jobs.length,
    placed,
    readSeconds,
    planSeconds,
    reasonSeconds,
    archiveSeconds,
    inputMb,
    planMb,
    archiveMb: Math.round(archive.length / 1e6),
  };
}
