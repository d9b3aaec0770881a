import type { ServerResponse } from "node:http";
import { describe, expect, onTestFinished, test } from "vitest";
import { z } from "zod";
import { CommandFailure } from "../../../clients/cli/exit-code.ts";
import { AnswerMemory } from "../../../clients/cli/service/answer-memory.ts";
import { askAll } from "../../../clients/cli/service/ask-all.ts";
import { connectService } from "../../../clients/cli/service/http-client.ts";
import { signInFailure } from "../../../clients/cli/service/sign-in.ts";
import { problemType } from "../../../shared/api/index.ts";
import { describeProblems } from "../../../shared/messages/problems.ts";
import {
  type ReceivedCall,
  type ScriptedServer,
  startScriptedServer,
} from "../../support/scripted-server.ts";

type Respond = (call: ReceivedCall, response: ServerResponse) => void;

/** A server on this machine that remembers what it was asked. */
async function serve(respond: Respond): Promise<ScriptedServer> {
  const server = await startScriptedServer();
  onTestFinished(server.close);
  server.answer((response, call) => respond(call, response));
  return server;
}

function send(response: ServerResponse, status: number, body: unknown, headers: object = {}): void {
  response.writeHead(status, { "content-type": "application/json", ...headers });
  response.end(typeof body === "string" ? body : JSON.stringify(body));
}

const clusters = { atSeconds: 1, release: "0.1.0", clusters: [] };

async function failureOf(
  work: Promise<unknown>,
): Promise<{ readonly message: string; readonly next: string }> {
  const error = await work.then(
    () => undefined,
    (reason: unknown) => reason,
  );
  if (!(error instanceof CommandFailure)) throw new Error(`no failure for the operator: ${String(error)}`);
  return error;
}

describe("calls", () => {
  test("an action with a key of its own is the same request, however often it is made", async () => {
    const { url, calls } = await serve((_, response) => send(response, 503, {}));
    const service = connectService({ url }, "hpc");
    const body = { kind: "retry-failed" };
    await failureOf(service.ask("actions", { key: "k-1", body }));
    await failureOf(service.ask("actions", { body }));
    expect(calls.map(({ headers }) => headers["idempotency-key"])).toEqual(["k-1", undefined]);
  });

  test("a path with the cluster and what else it names, a query, the key and the version", async () => {
    const { url, calls } = await serve((_, response) => send(response, 404, {}));
    const service = connectService({ url: `${url}/`, key: "geheim" }, "a b/c");
    await failureOf(
      service.ask("explain", { params: { job: "12[3]" }, query: { source: "pbs", limit: undefined } }),
    );
    expect(calls).toHaveLength(1);
    expect(calls[0]).toMatchObject({
      method: "GET",
      path: "/api/clusters/a%20b%2Fc/jobs/12%5B3%5D/explain?source=pbs",
      headers: { "x-functions-key": "geheim", "api-version": "1" },
    });
  });

  test("an answer is checked, and fields that nobody knows yet are no mistake", async () => {
    const { url } = await serve((_, response) => send(response, 200, { ...clusters, newer: true }));
    expect(await connectService({ url }, "").ask("clusters")).toEqual(clusters);
  });

  test("an answer of something else is a failure that names the first difference", async () => {
    const { url } = await serve((_, response) => send(response, 200, { hello: "world" }));
    const { message } = await failureOf(connectService({ url }, "").ask("clusters"));
    expect(message).toContain("does not match version 1 of the API: atSeconds: ");
  });

  test("what fails for a moment is tried again, unless it would do something twice", async () => {
    const busy: Respond = (_, response) => send(response, 503, {}, { "retry-after": "0" });
    const reading = await serve((call, response) =>
      reading.calls.length < 3 ? busy(call, response) : send(response, 200, clusters),
    );
    expect(await connectService(reading, "").ask("clusters")).toEqual(clusters);
    const acting = await serve(busy);
    await failureOf(connectService(acting, "hpc").ask("actions", { body: { kind: "pause" } }));
    expect({ read: reading.calls.length, acted: acting.calls.length }).toEqual({ read: 3, acted: 1 });
  });

  test("a refused action is an answer", async () => {
    const refused = {
      cluster: "hpc",
      atSeconds: 1,
      outcome: "refused",
      summary: "no",
      actions: [],
      skipped: [{ node: "htc-1", why: "keep-alive", next: "keep-alive off", refused: true }],
      problems: ["every node is keep-alive"],
      expiresInSeconds: null,
    };
    const { url } = await serve((_, response) => send(response, 409, refused));
    expect(await connectService({ url }, "hpc").ask("actions", { body: {} })).toEqual(refused);
  });
});

describe("failures", () => {
  test("problem details: what went wrong, every problem, what to do", async () => {
    const problem = {
      type: problemType("bad-request"),
      title: "The body is not what this call takes",
      status: 400,
      problems: ["jobs[0].name: 4, expected text", "jobs[1]: \u001b[2J, expected an object"],
    };
    const { url } = await serve((_, response) => send(response, 400, problem));
    expect(await failureOf(connectService({ url }, "hpc").ask("what-if", { body: {} }))).toMatchObject({
      message:
        "The body is not what this call takes\n  - jobs[0].name: 4, expected text\n  - jobs[1]: \\u001b[2J, expected an object",
      next: "Fix these problems, then try again.",
    });
  });

  test.each([
    [{ by: "ann" }, z.object({}).strict(), "Upgrade the service"],
    [{ by: "ann", more: 1 }, z.object({}).strict(), "Upgrade the service"],
    [{ jobs: [{ nam: "a" }] }, z.object({ jobs: z.array(z.object({}).strict()) }), "Fix these problems"],
  ])("%j, of which a service does not know a key", async (body, schema, next) => {
    const refused = schema.safeParse(body, { reportInput: true });
    const problem = {
      type: problemType("bad-request"),
      title: "The body is not what POST /api/clusters/hpc/actions takes",
      status: 400,
      problems: refused.error === undefined ? [] : describeProblems(refused.error),
    };
    const { url } = await serve((_, response) => send(response, 400, problem));
    const failure = await failureOf(connectService({ url }, "hpc").ask("actions", { body }));
    expect(failure.message).toContain("unrecognized key");
    expect(failure.next).toContain(next);
  });

  test.each([
    ["a key that is missing", 401, "", "CCSCALE_KEY"],
    ["a token where a key is asked for", 401, "", "API_LOGIN is entra"],
    ["a right that is missing", 403, "", "Ask for the role"],
    [
      "a token that is missing",
      401,
      { type: problemType("unauthorized"), title: "No token is shown", status: 401, detail: "Sign in" },
      "Sign in.",
    ],
    ["a page of somebody else", 404, "<html>", "Check the address of the service."],
    [
      "an unknown cluster",
      404,
      { type: problemType("unknown-cluster"), title: 'No cluster "x" is configured', status: 404 },
      "Check the name after --cluster",
    ],
  ])("%s", async (_, status, body, next) => {
    const { url } = await serve((_call, response) => send(response, status, body));
    expect((await failureOf(connectService({ url }, "x").ask("status"))).next).toContain(next);
  });

  test("a server that says when to come back", async () => {
    const problem = {
      type: problemType("stale-snapshot"),
      title: "Cannot plan",
      status: 503,
      detail: "The next snapshot corrects it",
      retryAfterSeconds: 60,
    };
    const { url } = await serve((_, response) => send(response, 503, problem));
    const { next } = await failureOf(connectService({ url, maxRetries: 0 }, "x").ask("demand"));
    expect(next).toBe("The next snapshot corrects it. Try again in 1m.");
  });

  test.each([
    [
      "nothing that Entra says",
      "EnvironmentCredential is unavailable.\nPlease run 'az login'",
      "you are not signed in",
      "az login",
    ],
    [
      "no consent",
      "x\nAADSTS65001: The user has not consented.\nTrace ID: 1",
      "AADSTS65001: The user has not consented.",
      "the Azure CLI",
    ],
    ["no role", "AADSTS50105: not assigned to a role", "AADSTS50105", "ask for one"],
    ["no such app", "AADSTS500011: The resource principal was not found", "AADSTS500011", "CCSCALE_AUDIENCE"],
  ])("signing in fails with %s", (_, message, why, next) => {
    const error = Object.assign(new Error(message), { name: "AggregateAuthenticationError" });
    const failure = signInFailure(error, "api://app");
    expect(failure?.message).toMatch(/^Cannot sign in for "api:\/\/app": /);
    expect(failure?.message).toContain(why);
    expect(failure?.message).not.toContain("\n");
    expect(failure?.next).toContain(next);
  });

  test("what is wrong with the network is nobody's sign-in", () => {
    expect(signInFailure(new Error("ECONNREFUSED"), "api://app")).toBeUndefined();
  });

  test("nobody there", async () => {
    const service = connectService({ url: "http://127.0.0.1:9", maxRetries: 0 }, "x");
    expect((await failureOf(service.ask("status"))).message).toMatch(/^Cannot reach http:\/\/127\.0\.0\.1:9/);
  });

  test("no answer in time", async () => {
    const { url } = await serve(() => {});
    const { message } = await failureOf(connectService({ url, timeoutMs: 50 }, "x").ask("status"));
    expect(message).toBe(`No answer from ${url} in time`);
  });

  test.each([
    ["no address", "autoscaler", '"autoscaler", expected an address'],
    ["http to elsewhere", "http://example.com", "expected https"],
    ["a key in the address", "https://example.com/api?code=geheim", "it holds a login or a query"],
    ["a login in the address", "https://me:geheim@example.com", "it holds a login or a query"],
  ])("%s is refused, and no secret is repeated", async (_, url, words) => {
    const failure = await failureOf((async () => connectService({ url }, "x"))());
    expect(failure.message).toContain(words);
    expect(`${failure.message}${failure.next}`).not.toContain("geheim");
  });
});

describe("pages", () => {
  const page = (names: readonly string[], next: string | null) => ({
    cluster: "hpc",
    atSeconds: 1,
    plans: names.map((planId) => ({
      cluster: "hpc",
      planId,
      archive: "whole",
      atSeconds: 1,
      reason: "",
      jobs: 0,
      placedJobs: 0,
      create: 0,
      start: 0,
      retire: 0,
      planSeconds: 0,
      readOnly: false,
    })),
    total: 3,
    next,
  });

  test("all of them, one after the other", async () => {
    const { url, calls } = await serve((request, response) =>
      send(response, 200, request.path.includes("cursor=") ? page(["c"], null) : page(["a", "b"], "more")),
    );
    const counts: number[] = [];
    const service = connectService({ url }, "hpc");
    const all = await askAll(service, "plans", {
      pick: ({ plans }) => plans,
      onPage: (count) => counts.push(count),
    });
    expect(all.items.map(({ planId }) => planId)).toEqual(["a", "b", "c"]);
    expect({ isCut: all.isCut, counts }).toEqual({ isCut: false, counts: [2, 3] });
    expect(calls.map((each) => each.path)).toEqual([
      "/api/clusters/hpc/plans?limit=1000",
      "/api/clusters/hpc/plans?limit=1000&cursor=more",
    ]);
  });

  test("the first page may say how to ask for the others", async () => {
    const { url, calls } = await serve((request, response) =>
      send(response, 200, request.path.includes("cursor=") ? page(["c"], null) : page(["a", "b"], "more")),
    );
    const service = connectService({ url }, "hpc");
    const rest = () => ({ colour: calls.length });
    const all = await askAll(service, "plans", { pick: ({ plans }) => plans, rest });
    expect(all.items.map(({ planId }) => planId)).toEqual(["a", "b", "c"]);
    expect(calls.map((each) => each.path)).toEqual([
      "/api/clusters/hpc/plans?limit=500",
      "/api/clusters/hpc/plans?colour=1&limit=1000&cursor=more",
    ]);
  });

  test("no page after the one whose last item is beyond what is wanted", async () => {
    const { url, calls } = await serve((_, response) => send(response, 200, page(["a", "b"], "more")));
    const all = await askAll(connectService({ url }, "hpc"), "plans", {
      pick: ({ plans }) => plans.map(({ planId }) => planId),
      until: (planId: string) => planId === "b",
    });
    expect({ items: all.items, isCut: all.isCut, asked: calls.length }).toEqual({
      items: ["a", "b"],
      isCut: false,
      asked: 1,
    });
  });

  test("no more than were asked for", async () => {
    const { url, calls } = await serve((_, response) => send(response, 200, page(["a", "b"], "more")));
    const all = await askAll(connectService({ url }, "hpc"), "plans", {
      pick: ({ plans }) => plans,
      most: 2,
    });
    expect({ isCut: all.isCut, asked: calls.length }).toEqual({ isCut: true, asked: 1 });
  });
});

describe("what is watched", () => {
  const answer = { atSeconds: 100, release: "0.1.0", clusters: [] };

  test("is asked for again only when it changed, and grows older all the same", async () => {
    let etag = '"1"';
    const { url, calls } = await serve(({ headers }, response) =>
      headers["if-none-match"] === etag
        ? response.writeHead(304, { etag }).end()
        : send(response, 200, answer, { etag }),
    );
    const service = connectService({ url, remembers: true }, "");
    expect(await service.ask("clusters")).toEqual(answer);
    const again = await service.ask("clusters");
    expect(calls.at(-1)?.headers["if-none-match"]).toBe('"1"');
    expect(again).toEqual({ ...answer, atSeconds: expect.any(Number) });
    expect(again.atSeconds).toBeGreaterThanOrEqual(100);
    etag = '"2"';
    expect(await service.ask("clusters")).toEqual(answer);
  });

  test("is not remembered by who asks once", async () => {
    const { url, calls } = await serve((_, response) => send(response, 200, answer, { etag: '"1"' }));
    const service = connectService({ url }, "");
    await service.ask("clusters");
    await service.ask("clusters");
    expect(calls.map(({ headers }) => headers["if-none-match"])).toEqual([undefined, undefined]);
  });

  test("an answer that is kept grows older by the time that passes here", () => {
    let nowMs = 5_000;
    const memory = new AnswerMemory(() => nowMs);
    const from = { url: "a", etag: '"1"' };
    memory.keep(from, { atSeconds: 100, nodes: [] });
    nowMs += 2_500;
    expect(memory.of(from)).toEqual({ atSeconds: 102.5, nodes: [] });
    expect(memory.of({ url: "b", etag: '"1"' })).toBeUndefined();
    memory.keep({ url: "a", etag: undefined }, {});
    expect(memory.etagOf("a")).toBeUndefined();
  });

  test("only so many answers are kept, those that were asked for last", () => {
    const memory = new AnswerMemory();
    memory.keep({ url: "list", etag: '"1"' }, {});
    for (let page = 0; page < 100; page += 1) {
      memory.keep({ url: `list?cursor=${page}`, etag: '"1"' }, {});
      memory.of({ url: "list", etag: '"1"' });
    }
    const kept = Array.from({ length: 100 }, (_, page) => memory.etagOf(`list?cursor=${page}`));
    expect(memory.etagOf("list")).toBe('"1"');
    expect(kept.filter((etag) => etag !== undefined)).toHaveLength(15);
    expect(kept.at(-1)).toBe('"1"');
  });
});

test("what the configuration says about printing comes along with an answer", async () => {
  const printing = { output_columns: ["name", "groß"] };
  const ascii = JSON.stringify(printing).replace("ß", "\\u00df");
  const { url } = await serve((_, response) => send(response, 200, clusters, { "output-settings": ascii }));
  const service = connectService({ url }, "");
  expect(service.printing()).toBeUndefined();
  await service.ask("clusters");
  expect(service.printing()).toEqual(printing);
});
