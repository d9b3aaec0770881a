import type { PlanAnswer, PlanArchiveAnswer, PlansAnswer } from "../api/index.ts";
import type { Operation, Ports } from "../ports/index.ts";
import { redact } from "../redact.ts";
import { decided } from "./demand.ts";
import { toOperationView } from "./operations.ts";
import type { PageQuery } from "./page.ts";
import { pageOfTimeline } from "./page.ts";

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

/** One plan with what became of its actions; undefined when it is not kept (any more). */
export async function showPlan(
  ports: PlanPorts,
  cluster: string,
  planId: string,
): Promise<PlanAnswer | undefined> {
  const archived = await ports.plans.load(cluster, planId);
  if (archived === undefined) return undefined;
  const stored = await Promise.all(
    archived.actions.map(({ actionId }) => ports.operations.load(cluster, actionId)),
  );
  const operations = stored.flatMap((each): Operation[] => (each === undefined ? [] : [each.value]));
  const { summary, plan } = archived;
  return {
    cluster,
    atSeconds: ports.clock.nowSeconds(),
    summary,
    // What was backed off then is in the reasons' words of the head alone; the figures say it as "0 left".
    ...decided(plan, [], summary.atSeconds),
    operations: operations.map(toOperationView),
  };
}

/** One plan with what it was made from, without secrets; undefined when it is not kept (any more). */
export async function showPlanArchive(
  ports: Pick<PlanPorts, "clock" | "plans">,
  cluster: string,
  planId: string,
  knownSecrets: readonly string[],
): Promise<PlanArchiveAnswer | undefined> {
  const archived = await ports.plans.load(cluster, planId);
  if (archived === undefined) return undefined;
  const archive = redact(archived, knownSecrets) as PlanArchiveAnswer["archive"];
  // What holds none is the same object.
  const secretsRemoved: boolean = (archive as unknown) !== archived;
  return { cluster, atSeconds: ports.clock.nowSeconds(), archive, secretsRemoved };
}
