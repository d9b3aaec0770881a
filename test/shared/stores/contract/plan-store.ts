import { expect } from "vitest";
import { ConflictError } from "../../../../shared/errors/errors.ts";
import type { PlanStore } from "../../../../shared/ports/index.ts";
import { oddNames } from "./names.ts";
import { type ContractCases, outcomes, uniqueCluster } from "./suite.ts";
import { archivedOf, headOf, startSeconds, summaryOf } from "./values.ts";

const archivedBytes: unknown = expect.any(Number);

export const planStoreCases: ContractCases<PlanStore> = {
  "a cluster that was never planned has no head, no list, no plan": async (store) => {
    const cluster = uniqueCluster();
    expect(await store.loadHead(cluster)).toBeUndefined();
    expect(await store.list(cluster, 10)).toEqual([]);
    expect(await store.load(cluster, "plan-1")).toBeUndefined();
  },
  "of two planners that race for the head one wins, at the first plan and later": async (store) => {
    const cluster = uniqueCluster();
    for (const round of ["1", "2"]) {
      const etag = (await store.loadHead(cluster))?.etag;
      const saves = ["a", "b"].map((planner) => store.saveHead(headOf(cluster, planner + round), etag));
      const { kept, errors } = await outcomes(saves);
      expect({ kept, errors }).toEqual({ kept: 1, errors: [expect.any(ConflictError)] });
    }
    expect((await store.loadHead(cluster))?.value.planId).toMatch(/^[ab]2$/);
  },
  "an archived plan comes back as it was": async (store) => {
    const plan = archivedOf(summaryOf(uniqueCluster(), "plan-1"));
    await store.archive(plan);
    expect(await store.load(plan.summary.cluster, "plan-1")).toEqual(plan);
    expect(await store.list(plan.summary.cluster, 1)).toEqual([
      { ...plan.summary, archive: "whole", archivedBytes },
    ]);
  },
  "plans are listed newest first, no more than asked": async (store) => {
    const cluster = uniqueCluster();
    for (const index of [1, 3, 0, 2]) {
      const atSeconds = startSeconds + index * 0.001;
      await store.archive(archivedOf(summaryOf(cluster, `plan-${index}`, { atSeconds })));
    }
    const listed = (await store.list(cluster, 3)).map((summary) => summary.planId);
    expect(listed).toEqual(["plan-3", "plan-2", "plan-1"]);
    expect(await store.list(cluster, 0)).toEqual([]);
    const before = await store.list(cluster, 2, startSeconds + 0.001);
    expect(before.map((summary) => summary.planId)).toEqual(["plan-1", "plan-0"]);
  },
  "saving the same plan id again replaces the plan and its line, also at another time": async (store) => {
    const cluster = uniqueCluster();
    await store.archive(archivedOf(summaryOf(cluster, "plan-1")));
    await store.archive(archivedOf(summaryOf(cluster, "plan-1", { jobs: 4 })));
    const last = archivedOf(summaryOf(cluster, "plan-1", { jobs: 5, atSeconds: startSeconds + 1 }));
    await store.archive(last);
    expect(await store.list(cluster, 10)).toEqual([{ ...last.summary, archive: "whole", archivedBytes }]);
    expect(await store.load(cluster, "plan-1")).toEqual(last);
  },
  "a plan that failed to be archived has its line, until it is archived after all": async (store) => {
    const summary = summaryOf(uniqueCluster(), "plan-1");
    const failed = { ...summary, archive: "failed" as const, archiveReason: "no answer" };
    await store.recordFailed(failed);
    expect(await store.list(summary.cluster, 10)).toEqual([failed]);
    expect(await store.load(summary.cluster, "plan-1")).toBeUndefined();
    await store.archive(archivedOf(summary));
    await store.recordFailed(failed);
    expect(await store.list(summary.cluster, 10)).toEqual([{ ...summary, archive: "whole", archivedBytes }]);
  },
  "a plan in summary comes back as it was, and its line says why": async (store) => {
    const summary = summaryOf(uniqueCluster(), "plan-1");
    const archived = { archive: "summary" as const, archiveReason: "too large" };
    const lists = { create: [], start: [], retire: [], retry: [], waiting: [], warnings: [] };
    const outline = { ...archived, summary, ...lists, waitingCount: 7, actionIds: ["a-1"] };
    expect(await store.archive(outline)).toEqual({ outcome: "archived" });
    expect(await store.load(summary.cluster, "plan-1")).toEqual(outline);
    expect(await store.list(summary.cluster, 10)).toEqual([{ ...summary, ...archived, archivedBytes }]);
  },
  "odd cluster names and plan ids are kept apart": async (store) => {
    const cluster = uniqueCluster("\\?");
    for (const name of oddNames) await store.archive(archivedOf(summaryOf(cluster, name)));
    for (const name of oddNames) expect((await store.load(cluster, name))?.summary.planId).toBe(name);
    expect(await store.list(cluster, 100)).toHaveLength(oddNames.length);
  },
};
