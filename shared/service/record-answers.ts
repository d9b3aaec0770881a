import { quoted, type RouteId, refusals } from "../api/index.ts";
import { onceFor } from "../collections/once-for.ts";
import { Recent } from "../collections/recent.ts";
import { loadWorld, type World } from "../cycle/index.ts";
import { shellWord } from "../text/shell-word.ts";
import {
  clusterStatus,
  drawUpDemand,
  examineCluster,
  explainJob,
  explainTarget,
  limitsToRaise,
  listBuckets,
  listClusters,
  listEvents,
  listJobs,
  listLimits,
  listLives,
  listNodes,
  listOperations,
  listOperationsOf,
  listPlans,
  listPrices,
  listRejects,
  type Outlook,
  quoteJobs,
  type Selected,
  selectingOf,
  showHistory,
  showOperation,
  showPlan,
  showPlanArchive,
  showPlanDifference,
  showReject,
  validateConstraint,
  whatIf,
} from "../views/index.ts";
import {
  type Answered,
  answered,
  badRequest,
  found,
  ifSelected,
  notFound,
  problem,
  unknownCluster,
} from "./answered.ts";
import type { RecordPorts } from "./ports.ts";
import type { AnswerOf, AnswersFrom, Handler, RouteCall } from "./route-call.ts";

/** Routes that only read records: answered by the service, on the storage account, and from an archive's files. */
export const recordAnswers = {
  clusters: async (ports) => answered(await listClusters(ports)),
  status: async (ports, { cluster }) =>
    found(
      await clusterStatus(ports, cluster, () => ports.lookAhead(cluster)),
      refusals.unknownCluster(cluster),
    ),
  doctor: async (ports, { cluster }) =>
    found(await examineCluster(ports, cluster), refusals.unknownCluster(cluster)),
  nodes: fromOutlook((outlook, { query }) => ifSelected(listNodes(outlook, query))),
  buckets: fromOutlook((outlook, { query }) => ifSelected(listBuckets(outlook, query))),
  limits: fromOutlook((outlook, { query }) => ifSelected(listLimits(outlook, query))),
  prices: fromOutlook((outlook, { query }) => ifSelected(listPrices(outlook, query))),
  events: async (ports, { cluster, query }) => answered(await listEvents(ports, cluster, query)),
  jobs: fromOutlook((outlook, { query }) => ifSelected(listJobs(outlook, query))),
  explain: fromOutlook(explainedJob),
  "explain-target": fromOutlook(explainedTarget),
  demand: fromOutlook((outlook, { query }) => ifSelected(drawUpDemand(outlook, selectingOf(query)))),
  "validate-constraint": fromOutlook((outlook, { body }) => ifSelected(validateConstraint(outlook, body))),
  "what-if": planned(whatIf),
  quote: planned(quoteJobs),
  plans: async (ports, { cluster, query }) => answered(await listPlans(ports, cluster, query)),
  plan: async (ports, { cluster, params: { planId } }) =>
    found(await showPlan(ports, cluster, planId), refusals.unknownPlan(planId)),
  "plan-archive": async (ports, { cluster, params: { planId } }) =>
    found(await showPlanArchive(ports, cluster, planId, ports.knownSecrets), refusals.unknownPlan(planId)),
  "plan-difference": async (ports, { cluster, params: { planId }, query: { before } }) =>
    found(
      await showPlanDifference(ports, cluster, { before, after: planId }, ports.knownSecrets),
      refusals.unknownPlan(`${before} or ${planId}`),
    ),
  operations: async (ports, { cluster, query }) => {
    const selecting = selectingOf(query);
    if (selecting === undefined) return answered(await listOperations(ports, cluster, query));
    const outlook = await ports.lookAhead(cluster);
    if (outlook === undefined) return unknownCluster(cluster);
    return ifSelected(await listOperationsOf(ports, outlook, { query, selecting }));
  },
  operation: async (ports, { cluster, params: { actionId } }) => {
    const operation = await showOperation(ports, cluster, actionId);
    return operation === undefined
      ? notFound(`No operation ${quoted(actionId)} is recorded`)
      : answered(operation);
  },
  history: async (ports, { cluster, params: { node }, query }) => {
    const history = await showHistory(ports, cluster, node, query);
    return history === undefined
      ? notFound(`No history of a node ${quoted(node)} is kept`)
      : answered(history);
  },
  lives: async (ports, { cluster, query }) => {
    const outcome = await listLives(ports, cluster, query);
    if (outcome === undefined) return unknownCluster(cluster);
    return outcome.ok
      ? answered(outcome.answer)
      : badRequest("These lives cannot be shown", outcome.problems);
  },
  rejects: async (ports, { cluster, query }) => answered(await listRejects(ports, cluster, query)),
  reject: async (ports, { cluster, params: { rejectionId } }) =>
    found(await showReject(ports, cluster, rejectionId), refusals.unknownReject(rejectionId)),
} satisfies Partial<AnswersFrom<RecordPorts>>;

/** Rows of answers that are kept with an outlook: those of two views of the largest clusters. */
const mostRows = 20_000;
const answersOf = onceFor((_: Outlook) => new Recent<Promise<Answered<unknown>>>({ most: mostRows }));

/** Answers from what is known of the cluster and the plan that would be made now. Whoever polls asks the same again. */
function fromOutlook<Id extends RouteId>(
  work: (outlook: Outlook, call: RouteCall<Id>) => Answered<AnswerOf<Id>> | Promise<Answered<AnswerOf<Id>>>,
): Handler<RecordPorts, Id> {
  return async (ports, call) => {
    const { cursor } = (call.query ?? {}) as { readonly cursor?: readonly [unknown, unknown, number?] };
    const outlook = await ports.lookAhead(call.cluster, cursor?.[2]);
    if (outlook === undefined) return unknownCluster(call.cluster);
    const name = JSON.stringify([call.id, call.params, call.query, call.body]);
    const answers = answersOf(outlook);
    const known = answers.get(name) as Promise<Answered<AnswerOf<Id>>> | undefined;
    if (known !== undefined) return known;
    // Who asks while it is being made waits for the same.
    const making = (async () => work(outlook, call))();
    answers.set(name, making, 1);
    try {
      const made = await making;
      answers.set(name, making, rowsIn(made.ok ? made.answer : {}));
      return made;
    } catch (error) {
      answers.delete(name);
      throw error;
    }
  };
}

function rowsIn(answer: object): number {
  return Object.values(answer).reduce((sum, each) => sum + (Array.isArray(each) ? each.length : 0), 1);
}

/** Answers from plans of another world than the one that is known. */
function planned<Id extends "what-if" | "quote">(
  work: (world: World, body: RouteCall<Id>["body"], nowSeconds: number) => Selected<AnswerOf<Id>>,
): Handler<RecordPorts, Id> {
  return async (ports, { cluster, body }) => {
    const world = await loadWorld(ports, cluster);
    if (world === undefined) return unknownCluster(cluster);
    const result = work(world, body, ports.clock.nowSeconds());
    return result.ok ? answered(result.answer) : badRequest("This cannot be planned", result.problems);
  };
}

async function explainedJob(
  outlook: Outlook,
  { params: { job }, query: { source, raise } }: RouteCall<"explain">,
): Promise<Answered<AnswerOf<"explain">>> {
  const whole = explainJob(outlook, job, source);
  const isUnknown = whole.outcome === "unknown-job";
  const explained = isUnknown ? explainJob(outlook, withSlashes(job), source) : whole;
  switch (explained.outcome) {
    case "explained":
      return answered({
        ...explained.answer,
        raise: raise ? await limitsToRaise(outlook, explained.answer) : null,
      });
    case "unknown-job":
      return notFound(
        `No source wants a job ${quoted(job)}`,
        outlook.snapshot.cluster.nodes.some(({ name }) => name === job)
          ? `It is a node: \`ccscale history ${shellWord(job)}\` shows what became of it`
          : `${likeIt(explained)}A job that is done is no longer demand; \`ccscale jobs\` lists those that are`,
      );
    case "ambiguous":
      return oneOf("source", explained.sources, {
        title: "Several sources want a job of this name",
        next: explained.next,
      });
  }
}

function likeIt(given: { readonly meant: string | null; readonly near: readonly string[] }): string {
  const { meant, near } = given;
  if (meant !== null) return `Did you mean ${quoted(meant)}? `;
  return near.length === 0 ? "" : `Near it: ${near.map(quoted).join(", ")}. `;
}

/** The Functions host leaves a slash in a path encoded; job names may contain slashes. */
function withSlashes(param: string): string {
  return param.replaceAll(/%2f/gi, "/");
}

function explainedTarget(
  outlook: Outlook,
  { params: { target }, query: { requestSet } }: RouteCall<"explain-target">,
): Answered<AnswerOf<"explain-target">> {
  const explained = explainTarget(outlook, target, requestSet);
  switch (explained.outcome) {
    case "explained":
      return answered(explained.answer);
    case "unknown-target":
      return notFound(`No request set has a target ${quoted(target)}`, targetsThereAre(explained.names));
    case "ambiguous":
      return oneOf("requestSet", explained.requestSets, {
        title: "Several request sets have a target of this name",
        next: explained.next,
      });
  }
}

function targetsThereAre(names: readonly string[]): string {
  return names.length === 0
    ? "No target was requested"
    : `Targets: ${names.map((name) => quoted(name)).join(", ")}`;
}

/** An ambiguous name: the query parameter that decides, and its values. */
function oneOf(
  field: string,
  values: readonly string[],
  { title, next }: { readonly title: string; readonly next: string },
) {
  const wanted = values.map((value) => quoted(value)).join(", ");
  return problem("bad-request", 400, {
    title,
    problems: [`${field}: missing, expected one of ${wanted}`],
    detail: next,
  });
}
