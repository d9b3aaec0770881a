import {
  creationResultSchema,
  managementResultSchema,
  readAnswer,
  unreadable,
} from "../../shared/cyclecloud/answer-schemas.ts";
import { requestedNodesSchema } from "../../shared/cyclecloud/node-schema.ts";
import { toCreationRequest, toManagementRequest } from "../../shared/cyclecloud/requests.ts";
import { clusterStatusSchema } from "../../shared/cyclecloud/status-schema.ts";
import { toCluster } from "../../shared/cyclecloud/to-engine.ts";
import { toRequestedNode } from "../../shared/cyclecloud/to-node.ts";
import { LoginRefusedError, UpstreamError } from "../../shared/errors/errors.ts";
import { createVmCatalogue } from "../../shared/facts/vm-sizes.ts";
import type { CycleCloud, NodesRequest } from "../../shared/ports/index.ts";
import { Refusal } from "../../shared/simulated-cyclecloud/api-refusal.ts";
import { toClusterStatus } from "../../shared/simulated-cyclecloud/cluster-status-answer.ts";
import { listNodes } from "../../shared/simulated-cyclecloud/lists.ts";
import { creationSchema, managementSchema } from "../../shared/simulated-cyclecloud/request-log.ts";
import type { Site } from "../../shared/simulated-cyclecloud/site.ts";
import { create, manage, retryFailed } from "../../shared/simulated-cyclecloud/site-actions.ts";
import type { Door } from "./cloud.ts";
import type { Fault, FaultKind } from "./faults.ts";
import type { Weather } from "./faulty-ports.ts";
import type { Run } from "./fleet.ts";

type Call =
  | "read"
  | "create"
  | "start"
  | "shutdown"
  | "deallocate"
  | "terminate"
  | "retry"
  | "nodes-of-request";

/** A call with its effect, as text: what the wire would carry. `refused` is HTTP 409. */
interface Exchange {
  readonly call: Call;
  /** Of calls that carry one. */
  readonly requestId?: string;
  readonly act: () => unknown;
}

/** What a call that changed something did, at the moment when it did. */
export interface CloudEffect {
  readonly call: "create" | "shutdown";
  readonly requestId: string;
  readonly nodeIds: readonly string[];
  /** Of a create: its sets, and what came of each. */
  readonly sets?: readonly MadeSet[];
}

export interface MadeSet {
  readonly nodeArray: string;
  readonly machineType: string;
  readonly asked: number;
  readonly added: number;
  /** Why there are fewer than asked. */
  readonly message: string | undefined;
}

type WireAnswer = { readonly text: string } | { readonly refused: string };

const notValid: WireAnswer = { refused: "Injected: the request is not valid" };
const catalogue = createVmCatalogue();
/** The client gives up after a minute; what a server does later than that is not simulated. */
const longestCallSeconds = 60;

const readFaults = [
  "crash-before",
  "error-before",
  "slow-answer",
  "status-500",
  "status-429",
  "truncated",
] as const;
const changeFaults = [
  "crash-before",
  "crash-after",
  "error-before",
  "error-after",
  "slow-request",
  "slow-answer",
  "status-500",
  "status-429",
  "refused-409",
  "repeated",
  "truncated",
] as const;

/**
 * The port over the simulator's core: requests and answers pass the real wire schemas of both sides, only HTTP
 * and the pipeline's own retries are left out. `onEffect` is told what was done, at the moment when it was.
 */
export function cloudClient(options: {
  readonly site: Site;
  readonly door: Door;
  readonly now: () => number;
  readonly cluster: string;
  readonly weather: Weather;
  /** How long the server takes for every answer, beside what all take. */
  readonly answerSeconds: number;
  readonly run: Run;
  /** Requests that were refused as invalid, by whatever run. */
  readonly invalidRequests: Set<string>;
  readonly onEffect: (effect: CloudEffect) => void;
}): CycleCloud {
  const {
    site,
    door,
    now: nowSeconds,
    cluster,
    weather,
    answerSeconds,
    run,
    invalidRequests,
    onEffect,
  } = options;
  return {
    credentialsFingerprint: () => "always-the-same",
    // Nothing in the cycle reads it.
    readUsage: async () => [],
    readCluster: async () => {
      const now = () => site.clusterNow(cluster);
      const answer = await exchange({
        call: "read",
        act: () => toClusterStatus(now().cluster, { at: now().at, nodes: true }),
      });
      const status = readAnswer(clusterStatusSchema, textOf(answer), "read the status");
      if (status.nodes == null) throw unreadable("read the status", "no list of nodes");
      return toCluster({ name: cluster, status, nodes: status.nodes, catalogue });
    },
    createNodes: async (request) => {
      const body = creationSchema.parse(toCreationRequest(request));
      const answer = await exchange({
        call: "create",
        requestId: request.requestId,
        act: () => {
          const result = create(site, cluster, body);
          const { nodeIds = [] } = site.operations.byRequest(request.requestId) ?? {};
          const sets = request.sets.map((set, index) => ({
            nodeArray: set.nodeArray,
            machineType: set.vmSize,
            asked: set.count,
            added: result.sets[index]?.added ?? 0,
            message: result.sets[index]?.message,
          }));
          onEffect({ call: "create", requestId: request.requestId, nodeIds, sets });
          return result;
        },
      });
      if ("refused" in answer) return { outcome: "refused", message: answer.refused };
      const { operationId, sets } = readAnswer(creationResultSchema, answer.text, "create nodes");
      return {
        outcome: "accepted",
        operationId,
        sets: sets.map(({ added, message }) => (message === null ? { added } : { added, message })),
      };
    },
    startNodes: (request) => manageNodes("start", request),
    shutdownNodes: (request) => manageNodes("shutdown", request),
    manageNodes: (verb, request) =>
      verb === "deallocate" || verb === "terminate"
        ? manageNodes(verb, request)
        : Promise.reject(new Error("no operator in the simulation")),
    retryFailedNodes: async () => {
      const answer = await exchange({ call: "retry", act: () => ({ retried: retryFailed(site, cluster) }) });
      textOf(answer);
    },
    nodesOfRequest: async (requestId) => {
      const answer = await exchange({
        call: "nodes-of-request",
        act: () => unlessUnknown(() => listNodes(site, cluster, { request_id: requestId })),
      });
      const text = textOf(answer);
      if (text === "null") return undefined;
      return readAnswer(requestedNodesSchema, text, "list nodes").nodes.map(toRequestedNode);
    },
  };

  async function manageNodes(verb: "start" | "shutdown" | "deallocate" | "terminate", request: NodesRequest) {
    const body = managementSchema.parse(toManagementRequest(request));
    const answer = await exchange({
      call: verb,
      requestId: request.requestId,
      act: () => {
        const isNew = site.operations.byRequest(request.requestId) === undefined;
        if (verb !== "start" && isNew) onEffect({ call: "shutdown", ...request });
        return manage(site, cluster, verb, body);
      },
    });
    if ("refused" in answer) return { outcome: "refused", message: answer.refused } as const;
    const { operationId, nodes } = readAnswer(managementResultSchema, answer.text, `${verb} nodes`);
    return {
      outcome: "accepted",
      operationId,
      nodes: nodes.map(({ id: nodeId, name, error }) =>
        error === null ? { nodeId, name } : { nodeId, name, error },
      ),
    } as const;
  }

  /** A request that is not valid does not become so: whoever sends it again is refused again. */
  function answerTo({ requestId = "", act }: Exchange): WireAnswer {
    const isNew = site.operations.byRequest(requestId) === undefined;
    return isNew && invalidRequests.has(requestId) ? notValid : answerOf(act);
  }

  function exchange(asked: Exchange): Promise<WireAnswer> {
    // A server that answers late is another one than that of the others, with a login of its own.
    const login = answerSeconds > 0 ? cluster : "the same for all";
    return run.machine.logins.pass(login, () => sent(asked));
  }

  async function sent(asked: Exchange): Promise<WireAnswer> {
    const { call } = asked;
    if (door.isShut) {
      await weather.fleet.wait(run, weather.chance.between(0.05, 1));
      door.refusedAtSeconds.push(nowSeconds());
      throw new LoginRefusedError("The login was refused: HTTP 401");
    }
    const kinds: readonly [FaultKind, ...FaultKind[]] =
      call === "read" || call === "nodes-of-request" ? readFaults : changeFaults;
    if (answerSeconds > 0) await weather.fleet.wait(run, Math.min(answerSeconds, longestCallSeconds));
    if (answerSeconds > longestCallSeconds) throw upstream(call, { why: "no whole answer in time" });
    const fault = weather.faults.at(`cyclecloud.${call}`, kinds);
    const extra = fault?.kind === "slow-request" ? Math.min(fault.seconds, longestCallSeconds) : 0;
    await weather.fleet.wait(run, weather.chance.between(0.05, 1) + extra);
    const answer = fault === undefined ? answerTo(asked) : await spoilt(asked, fault);
    await weather.fleet.wait(run, weather.chance.between(0.02, 0.4));
    return answer;
  }

  async function spoilt(asked: Exchange, fault: Fault): Promise<WireAnswer> {
    const { call, requestId } = asked;
    switch (fault.kind) {
      case "crash-before":
        return weather.fleet.kill(run.machine);
      case "error-before":
        throw upstream(call, { why: "no whole answer in time" });
      case "status-500":
        throw upstream(call, { why: "HTTP 500", status: 500 });
      case "status-429":
        throw upstream(call, { why: "HTTP 429", status: 429, retryAfterSeconds: 20 });
      case "refused-409":
        if (requestId !== undefined) invalidRequests.add(requestId);
        return notValid;
    }
    const answer = answerTo(asked);
    switch (fault.kind) {
      case "crash-after":
        return weather.fleet.kill(run.machine);
      case "error-after":
        throw upstream(call, { why: "no whole answer in time" });
      case "repeated":
        return answerTo(asked);
      case "truncated":
        return "text" in answer ? { text: answer.text.slice(0, answer.text.length / 2) } : answer;
      case "slow-answer":
        await weather.fleet.wait(run, Math.min(fault.seconds, longestCallSeconds));
    }
    return answer;
  }
}

function unlessUnknown<T>(act: () => T): T | null {
  try {
    return act();
  } catch (error) {
    if (error instanceof Refusal && error.status === 404) return null;
    throw error;
  }
}

function answerOf(act: () => unknown): WireAnswer {
  try {
    return { text: JSON.stringify(act()) };
  } catch (error) {
    if (error instanceof Refusal && error.status === 409) return { refused: error.message };
    throw error;
  }
}

function textOf(answer: WireAnswer): string {
  if ("text" in answer) return answer.text;
  throw upstream("read", { why: `HTTP 409 ${answer.refused}`, status: 409 });
}

function upstream(
  call: Call,
  { why, ...fields }: { readonly why: string; readonly status?: number; readonly retryAfterSeconds?: number },
): UpstreamError {
  return new UpstreamError(`Cannot ${call}: ${why}`, { retryable: fields.status !== 409, ...fields });
}
