import { vi } from "vitest";
import { type ActionAnswer, type Problem, problemType } from "../../../shared/api/index.ts";
import { type ScriptedServer, startScriptedServer } from "../../support/scripted-server.ts";

const running: ScriptedServer[] = [];

export async function stopServing(): Promise<void> {
  vi.unstubAllEnvs();
  for (const server of running.splice(0)) await server.close();
}

export const answer: ActionAnswer = {
  cluster: "hpc",
  atSeconds: 1,
  outcome: "requested",
  summary: "2 nodes are deleted",
  actions: [
    {
      actionId: "a-1",
      kind: "shutdown-nodes",
      nodes: [
        { nodeId: "id-1", name: "htc-1" },
        { nodeId: "id-2", name: "htc-2" },
      ],
      create: [],
    },
  ],
  skipped: [{ node: "htc-3", why: "it is keep-alive", next: "keep-alive off, if it may go", refused: false }],
  problems: [],
  expiresInSeconds: 600,
};

/** A service that answers actions and says of its only operation what `states` tells, one after the other. */
export async function serve(
  options: {
    readonly answer?: ActionAnswer;
    readonly states?: string[];
    /** In place of an answer: it refuses so. */
    readonly problem?: Pick<Problem, "title" | "problems" | "takenNames">;
  } = {},
): Promise<unknown[]> {
  const bodies: unknown[] = [];
  const states = options.states ?? [];
  const server = await startScriptedServer();
  running.push(server);
  server.answer((response, call) => {
    const send = (status: number, body: unknown) => {
      response.writeHead(status, { "content-type": "application/json" });
      response.end(JSON.stringify(body));
    };
    if (call.path.includes("/operations/")) return send(200, operation(states.shift() ?? "visible"));
    const body = JSON.parse(call.body) as { readonly dryRun?: boolean };
    bodies.push(body);
    if (options.problem !== undefined)
      return send(409, { type: problemType("refused"), status: 409, ...options.problem });
    const given = options.answer ?? answer;
    const would = body.dryRun === true && given.outcome === "requested";
    return send(given.outcome === "refused" ? 409 : 200, would ? { ...given, outcome: "would" } : given);
  });
  vi.stubEnv("CCSCALE_URL", server.url);
  vi.stubEnv("CCSCALE_CLUSTER", "hpc");
  return bodies;
}

function operation(state: string): object {
  return {
    actionId: "a-1",
    kind: "shutdown-nodes",
    state,
    reason: "asked",
    requestedBy: { who: "ann", why: "tests" },
    planId: null,
    requestId: "r",
    operationId: null,
    nodeCount: 2,
    nodes: [],
    sets: [],
    messages: state === "failed" ? ["no such node"] : [],
    attempts: 0,
    createdAtSeconds: 1,
    updatedAtSeconds: 1,
    expiresAtSeconds: 2,
  };
}
