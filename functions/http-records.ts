import type { HttpRequest, HttpResponseInit, InvocationContext } from "@azure/functions";
import { historyQuery, operationsQuery, plansQuery, quoted, refusals } from "../shared/api/index.ts";
import {
  listOperations,
  listOperationsOf,
  listPlans,
  selectingOf,
  showHistory,
  showOperation,
  showPlan,
} from "../shared/views/index.ts";
import {
  answerForCluster,
  type ClusterCall,
  callOf,
  ifSelected,
  json,
  notFound,
  polled,
  readQuery,
  refusedQuery,
  refusedWith,
  unknownCluster,
} from "./support/http.ts";
import { serve } from "./support/serve.ts";
import { service } from "./support/service.ts";

type Handler = (request: HttpRequest, context: InvocationContext) => Promise<HttpResponseInit>;

function handler(work: (call: ClusterCall) => Promise<HttpResponseInit>): Handler {
  return (request, context) => answerForCluster(callOf(request, context, service), work);
}

/** `GET /api/clusters/{cluster}/plans`, newest first. */
export const httpPlans = handler(async ({ request, ports, cluster }) => {
  const query = readQuery(request, plansQuery);
  return query.ok ? polled(request, await listPlans(ports, cluster, query.value)) : query.response;
});

/** `GET /api/clusters/{cluster}/plans/{planId}` */
export const httpPlan = handler(async ({ request, ports, cluster }) => {
  const refused = refusedQuery(request);
  if (refused !== undefined) return refused;
  const plan = await showPlan(ports, cluster, request.params.planId ?? "");
  return plan === undefined ? refusedWith(refusals.unknownPlan(request.params.planId ?? "")) : json(plan);
});

/** `GET /api/clusters/{cluster}/operations`, newest first. */
export const httpOperations = handler(async ({ request, ports, cluster }) => {
  const query = readQuery(request, operationsQuery);
  if (!query.ok) return query.response;
  const selecting = selectingOf(query.value);
  if (selecting === undefined) return polled(request, await listOperations(ports, cluster, query.value));
  const outlook = await service.outlooks.lookAhead(ports, cluster);
  if (outlook === undefined) return unknownCluster(cluster);
  const selected = await listOperationsOf(ports, outlook, { query: query.value, selecting });
  return ifSelected(selected, (answer) => polled(request, answer));
});

/** `GET /api/clusters/{cluster}/operations/{actionId}` */
export const httpOperation = handler(async ({ request, ports, cluster }) => {
  const refused = refusedQuery(request);
  if (refused !== undefined) return refused;
  const operation = await showOperation(ports, cluster, request.params.actionId ?? "");
  return operation === undefined
    ? notFound(`No operation ${quoted(request.params.actionId ?? "")} is recorded`)
    : json(operation);
});

/** `GET /api/clusters/{cluster}/nodes/{node}/history` */
export const httpHistory = handler(async ({ request, ports, cluster }) => {
  const query = readQuery(request, historyQuery);
  if (!query.ok) return query.response;
  const history = await showHistory(ports, cluster, request.params.node ?? "", query.value);
  return history === undefined
    ? notFound(`Nothing is remembered of a node ${quoted(request.params.node ?? "")}`)
    : json(history);
});

serve("plans", httpPlans);
serve("plan", httpPlan);
serve("operations", httpOperations);
serve("operation", httpOperation);
serve("history", httpHistory);
