import type { z } from "zod";
import { quoted, type Route, routes } from "../../../shared/api/index.ts";
import { describeProblems } from "../../../shared/messages/problems.ts";
import type { Ports } from "../../../shared/ports/index.ts";
import {
  drawUpDemand,
  explainJob,
  explainTarget,
  listBuckets,
  listClusters,
  listJobs,
  listLimits,
  listNodes,
  listOperations,
  listOperationsOf,
  listPlans,
  listRejects,
  loadKnown,
  lookAhead,
  type Outlook,
  type OutlookPorts,
  type Selected,
  selectingOf,
  showHistory,
  showOperation,
  showPlan,
  showPlanArchive,
  showReject,
  validateConstraint,
  whatIf,
} from "../../../shared/views/index.ts";
import { clusterStatus } from "../../../shared/views/status.ts";
import { CommandFailure, NotFound } from "../exit-code.ts";
import type { Call, RouteId } from "./service.ts";

/** What views look at, and the rejections beside them. */
export type ViewPorts = OutlookPorts & Pick<Ports, "rejections">;

export type Answering = (ports: ViewPorts, cluster: string, call: Call) => Promise<unknown>;

/** One for each route that looks at what is stored, as the functions of the HTTP API answer it. */
export const views: Readonly<Partial<Record<RouteId, Answering>>> = {
  clusters: (ports) => listClusters(ports),
  status: async (ports, cluster) => found(await clusterStatus(ports, cluster), `cluster "${cluster}"`),
  nodes: ahead((outlook, call) =>
    selected(listNodes(outlook, readCall("nodes", call) as Parameters<typeof listNodes>[1])),
  ),
  buckets: ahead((outlook, call) =>
    selected(listBuckets(outlook, readCall("buckets", call) as Parameters<typeof listBuckets>[1])),
  ),
  limits: ahead((outlook, call) =>
    selected(listLimits(outlook, readCall("limits", call) as Parameters<typeof listLimits>[1])),
  ),
  jobs: ahead((outlook, call) =>
    selected(listJobs(outlook, readCall("jobs", call) as Parameters<typeof listJobs>[1])),
  ),
  explain: ahead((outlook, call) => {
    const explained = explainJob(outlook, call.params?.job ?? "", call.query?.source as string | undefined);
    switch (explained.outcome) {
      case "explained":
        return explained.answer;
      case "unknown-job":
        return refuse(`No source wants a job ${quoted(call.params?.job ?? "")}`, [
          "jobs that are done are no demand any more",
        ]);
      case "ambiguous":
        return refuse(
          "Several sources want a job of this name",
          [`--source: missing, expected one of ${explained.sources.join(", ")}`],
          explained.next,
        );
    }
  }),
  "explain-target": ahead((outlook, call) => {
    const { requestSet } = readCall("explain-target", call) as { readonly requestSet?: string };
    const explained = explainTarget(outlook, call.params?.target ?? "", requestSet);
    switch (explained.outcome) {
      case "explained":
        return explained.answer;
      case "unknown-target":
        return refuse(`No request set has a target ${quoted(call.params?.target ?? "")}`, [
          explained.names.length === 0
            ? "no target was asked for"
            : `targets are ${explained.names.join(", ")}`,
        ]);
      case "ambiguous":
        return refuse(
          "Several request sets have a target of this name",
          [`--request-set: missing, expected one of ${explained.requestSets.join(", ")}`],
          explained.next,
        );
    }
  }),
  demand: ahead((outlook, call) =>
    selected(
      drawUpDemand(outlook, selectingOf(readCall("demand", call) as Parameters<typeof selectingOf>[0])),
    ),
  ),
  "what-if": async (ports, cluster, call) => {
    const known = found(await loadKnown(ports, cluster), `cluster "${cluster}"`);
    const body = readCall("what-if", call) as Parameters<typeof whatIf>[1];
    const result = whatIf(known, body, ports.clock.nowSeconds());
    return result.ok ? result.answer : refuse("This cannot be planned", result.problems);
  },
  "validate-constraint": ahead((outlook, call) =>
    selected(
      validateConstraint(
        outlook,
        readCall("validate-constraint", call) as Parameters<typeof validateConstraint>[1],
      ),
    ),
  ),
  plans: (ports, cluster, call) =>
    listPlans(ports, cluster, readCall("plans", call) as Parameters<typeof listPlans>[2]),
  plan: async (ports, cluster, call) =>
    found(await showPlan(ports, cluster, call.params?.planId ?? ""), `plan "${call.params?.planId}"`),
  operations: async (ports, cluster, call) => {
    const query = readCall("operations", call) as Parameters<typeof listOperations>[2];
    const selecting = selectingOf(query);
    if (selecting === undefined) return listOperations(ports, cluster, query);
    const outlook = found(await lookAhead(ports, cluster), `cluster "${cluster}"`);
    return selected(await listOperationsOf(ports, outlook, { query, selecting }));
  },
  operation: async (ports, cluster, call) =>
    found(
      await showOperation(ports, cluster, call.params?.actionId ?? ""),
      `operation ${quoted(call.params?.actionId ?? "")}`,
    ),
  history: async (ports, cluster, call) => {
    const query = readCall("history", call) as Parameters<typeof showHistory>[3];
    const node = call.params?.node ?? "";
    return found(await showHistory(ports, cluster, node, query), `anything about node "${node}"`);
  },
  "plan-archive": async (ports, cluster, call) => {
    const planId = call.params?.planId ?? "";
    return found(await showPlanArchive(ports, cluster, planId, []), `plan "${planId}"`);
  },
  reject: async (ports, cluster, call) => {
    const rejectionId = call.params?.rejectionId ?? "";
    return found(await showReject(ports, cluster, rejectionId), `rejection "${rejectionId}"`);
  },
  rejects: (ports, cluster, call) =>
    listRejects(ports, cluster, readCall("rejects", call) as Parameters<typeof listRejects>[2]),
};

function ahead(work: (outlook: Outlook, call: Call) => unknown): Answering {
  return async (ports, cluster, call) =>
    work(found(await lookAhead(ports, cluster), `cluster "${cluster}"`), call);
}

function selected<T>(outcome: Selected<T>): T {
  return outcome.ok ? outcome.answer : refuse("The nodes cannot be selected", outcome.problems);
}

/** The query, or the body, as the route's schema reads it. */
export function readCall(id: RouteId, { query, body }: Call): unknown {
  const route = routes.find((each) => each.id === id) as Route;
  const schema: z.ZodType | undefined = route.body ?? route.query;
  const given = route.body === undefined ? textsOf(query) : body;
  const parsed = schema?.safeParse(given, { reportInput: true });
  if (parsed?.success === false) return refuse("This cannot be asked", describeProblems(parsed.error));
  return parsed?.data;
}

/** As they would come in an address. */
function textsOf(query: Call["query"] = {}): Readonly<Record<string, string>> {
  const given = Object.entries(query).filter(([, value]) => value !== undefined);
  return Object.fromEntries(given.map(([name, value]) => [name, String(value)]));
}

function found<T>(value: T | undefined, what: string): T {
  if (value !== undefined) return value;
  throw new NotFound(
    `Cannot find ${what} in the files`,
    "Lists such as nodes, jobs and plans have the names.",
  );
}

export function refuse(
  title: string,
  problems: readonly string[],
  next = "Mend what is named above, then try again.",
): never {
  throw new CommandFailure([title, ...problems.map((problem) => `  - ${problem}`)].join("\n"), next);
}
