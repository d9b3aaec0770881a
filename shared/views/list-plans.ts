import type {
  PlanAnswer,
  PlanArchiveAnswer,
  PlanChange,
  PlanDifferenceAnswer,
  PlansAnswer,
} from "../api/index.ts";
import {
  type ArchivedPlan,
  type Operation,
  type PlanRecord,
  type Ports,
  packPlan,
  type WholePlan,
} from "../ports/index.ts";
import { redact } from "../text/redact.ts";
import { type Decided, decided } from "./draw-up-demand.ts";
import { toOperationView } from "./list-operations.ts";
import { type PageQuery, pageOfTimeline } from "./page.ts";
import { planDifference } from "./plan-difference.ts";

/** Some days of plans. */
const mostLinesRead = 1_000;

type PlanPorts = Pick<Ports, "clock" | "operations" | "plans">;

/** Plans, newest first. */
export async function listPlans(
  ports: Pick<PlanPorts, "clock" | "plans">,
  cluster: string,
  query: PageQuery,
): Promise<PlansAnswer> {
  const atSeconds = ports.clock.nowSeconds();
  const { items, next, total } = await pageOfTimeline(
    {
      load: (limit, untilSeconds) => ports.plans.list(cluster, limit, untilSeconds),
      atSecondsOf: (summary) => summary.atSeconds,
      nameOf: ({ planId }) => planId,
    },
    query,
  );
  return { cluster, atSeconds, plans: items, next, total };
}

/** One plan with what became of its actions; undefined when nothing of it is kept (any more). */
export async function showPlan(
  ports: PlanPorts,
  cluster: string,
  planId: string,
): Promise<PlanAnswer | undefined> {
  const found = await findPlan(ports, cluster, planId);
  if (found === undefined) return undefined;
  const { record: summary, archived } = found;
  const stored = await Promise.all(actionIdsOf(archived).map((id) => ports.operations.load(cluster, id)));
  const operations = stored.flatMap((each): Operation[] => (each === undefined ? [] : [each.value]));
  return {
    cluster,
    atSeconds: ports.clock.nowSeconds(),
    summary,
    ...partsOf(archived, summary.atSeconds),
    operations: operations.map(toOperationView),
  };
}

/** One plan with what it was made from, without secrets; undefined when nothing of it is kept (any more). */
export async function showPlanArchive(
  ports: Pick<PlanPorts, "clock" | "plans">,
  cluster: string,
  planId: string,
  knownSecrets: readonly string[],
): Promise<PlanArchiveAnswer | undefined> {
  const found = await findPlan(ports, cluster, planId);
  if (found === undefined) return undefined;
  const { record, archived } = found;
  const about = { cluster, atSeconds: ports.clock.nowSeconds() };
  if (archived?.archive !== "whole") {
    const { archiveReason = "its archive is gone" } = record;
    return { ...about, archive: null, archiveReason, secretsRemoved: false };
  }
  const packed: unknown = packPlan(archived);
  const archive = redact(packed, knownSecrets) as PlanArchiveAnswer["archive"];
  // What holds none is the same object.
  const secretsRemoved: boolean = (archive as unknown) !== packed;
  return { ...about, archive, archiveReason: null, secretsRemoved };
}

const mostChanges = 200;

/** What two plans decided otherwise, and from what, without secrets; undefined when nothing of one of them is kept. */
export async function showPlanDifference(
  ports: Pick<PlanPorts, "clock" | "plans">,
  cluster: string,
  ids: { readonly before: string; readonly after: string },
  knownSecrets: readonly string[],
): Promise<PlanDifferenceAnswer | undefined> {
  const [before, after] = await Promise.all([
    findPlan(ports, cluster, ids.before),
    findPlan(ports, cluster, ids.after),
  ]);
  if (before === undefined || after === undefined) return undefined;
  const about = {
    cluster,
    atSeconds: ports.clock.nowSeconds(),
    before: before.record,
    after: after.record,
  };
  if (before.archived?.archive !== "whole" || after.archived?.archive !== "whole") {
    const { planId, archiveReason = "its archive is gone" } =
      before.archived?.archive === "whole" ? after.record : before.record;
    return {
      ...about,
      changes: [],
      counts: {},
      reason: `${planId} was not archived whole: ${archiveReason}`,
    };
  }
  const decisionsOf = ({ plan, input }: WholePlan) => ({
    ...plan,
    input,
    settings: input.settings,
    sources: input.jobs.map(({ source }) => source),
  });
  const found = planDifference(decisionsOf(before.archived), decisionsOf(after.archived));
  const byKind = Map.groupBy(found, (change) => change.about);
  const changes = [...byKind.values()].flatMap((all) => all.slice(0, mostChanges));
  return {
    ...about,
    changes: redact(changes, knownSecrets) as PlanChange[],
    counts: Object.fromEntries([...byKind].map(([kind, all]) => [kind, all.length])),
    reason: null,
  };
}

/** The record of a plan. A plan that is not archived has only its line in the index, among the newest. */
async function findPlan(
  { plans }: Pick<PlanPorts, "plans">,
  cluster: string,
  planId: string,
): Promise<{ readonly record: PlanRecord; readonly archived?: ArchivedPlan } | undefined> {
  const archived = await plans.load(cluster, planId);
  if (archived === undefined) {
    const record = (await plans.list(cluster, mostLinesRead)).find((line) => line.planId === planId);
    return record && { record };
  }
  const { archive, summary } = archived;
  const why = archive === "whole" ? {} : { archiveReason: archived.archiveReason };
  return { record: { ...summary, archive, ...why }, archived };
}

function actionIdsOf(archived: ArchivedPlan | undefined): readonly string[] {
  if (archived === undefined) return [];
  return archived.archive === "whole" ? archived.actions.map(({ actionId }) => actionId) : archived.actionIds;
}

function partsOf(archived: ArchivedPlan | undefined, atSeconds: number): Decided {
  // The back-offs of that time are not archived; the figures show them as "0 left".
  if (archived?.archive === "whole") return decided(archived.plan, [], atSeconds);
  const { waiting, waitingCount, ...parts } = archived ?? nothing;
  return { ...decided({ ...parts, jobs: waiting }, [], atSeconds), waitingCount };
}

const nothing = { create: [], start: [], retire: [], retry: [], warnings: [], waiting: [], waitingCount: 0 };
