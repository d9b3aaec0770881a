import { HttpRequest } from "@azure/functions";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { createTokenReader } from "../../../functions/support/entra-token.ts";
import { entraGuard } from "../../../functions/support/guard.ts";
import { served } from "../../fuzz/served-world.ts";
import { accessibilityProblems, noBrowser } from "../../support/browser.ts";
import { nodeArrayOf, nodeOf } from "../../support/cluster.ts";
import { startTenant, type Tenant } from "../../support/entra.ts";
import { worldWith } from "../../support/world.ts";
import { routeOf } from "../cli/api-server.ts";
import type { PageAccess } from "./page-server.ts";
import { page, problems } from "./pages.ts";
import { server, useDashboard } from "./served-dashboard.ts";

const silent = { debug() {}, info() {}, warn() {}, error() {} };
const operator = { roles: ["Autoscale.Operate"] };
const reader = { roles: ["Autoscale.Read"] };

let tenant: Tenant;

const signInButton = () => page.getByRole("button", { name: "Sign in with Microsoft Entra ID" });

async function signIn(hash = ""): Promise<void> {
  await page.goto(`${server.url}${hash}`);
  await signInButton().click();
}

/** A call of the API without the page. */
function ask(method: string, path: string, token: string, body: unknown): Promise<Response> {
  return fetch(new URL(`/api/clusters/hpc/${path}`, server.url), {
    method,
    headers: { authorization: `Bearer ${token}`, "content-type": "application/json", "if-match": "*" },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
}

async function act(kind: string, token: string): Promise<void> {
  const response = await ask("POST", "actions", token, { kind, by: "alice", reason: "maintenance" });
  expect(response.status).toBe(200);
}

/** As the service has it: each route names the role that it wants. */
function accessOf({ issuer }: Tenant): PageAccess {
  const guard = entraGuard({ nodeLogin: "basic", issuer, readToken: createTokenReader(issuer) });
  return {
    login: { by: "entra", ...issuer },
    refused: async ({ method = "GET", url: path = "/", headers: { authorization } }) => {
      const headers: Record<string, string> = authorization === undefined ? {} : { authorization };
      const url = new URL(path, "http://127.0.0.1");
      const request = new HttpRequest({ method, url: url.href, headers });
      const role = routeOf(method, url.pathname)?.route.role ?? "reader";
      const admission = await guard.admit(request, role, silent);
      return admission.ok ? undefined : admission.response;
    },
  };
}

describe.skipIf(noBrowser !== undefined)("sign-in with Microsoft Entra ID", () => {
  beforeAll(async () => {
    tenant = await startTenant();
  });

  afterAll(() => tenant?.stop());

  useDashboard(
    async () => {
      tenant.people.redirectUris = [server.url];
      const people = { claims: operator, refusal: undefined, tokenSeconds: 3_600, renews: true };
      Object.assign(tenant.people, people);
      tenant.people.granted.length = 0;
      const nodes = [nodeOf({ name: "htc-1", nodeId: "id-1", hostname: "host-1" })];
      served.world = worldWith({ nodeArrays: [nodeArrayOf()], nodes });
      await served.world.snapshot();
    },
    { alone: true, access: async () => accessOf(tenant) },
  );

  test("an operator comes back to the view, with no code or token in address or storage, and may act", async () => {
    await page.goto(`${server.url}#/clusters/hpc/overview`);
    await signInButton().waitFor();
    expect(await accessibilityProblems(page)).toEqual([]);
    await signInButton().click();
    await page.getByRole("button", { name: "Pause scaling" }).waitFor();
    expect(page.url()).toBe(`${server.url}#/clusters/hpc/overview`);
    expect(
      await page.evaluate("JSON.stringify([{ ...sessionStorage }, { ...localStorage }, document.cookie])"),
    ).toBe('[{},{},""]');
    expect(server.paths().join(" ")).not.toMatch(/code|token/);
    await page.getByRole("button", { name: "Sign out" }).click();
    await signInButton().waitFor();
    // Before anybody has signed in the service says 401, once on each load.
    expect(problems.filter((problem) => !problem.includes("401"))).toEqual([]);
  });

  test("who may only read is offered no act in any view, and reads all the same", async () => {
    tenant.people.claims = reader;
    const { world } = served;
    await world.receive("{ no message", "r-1");
    await act("pause", await tenant.userToken(operator));
    await signIn("#/clusters/hpc/nodes");
    await page.getByText("htc-1").first().waitFor();
    await page.getByText("Read-only").waitFor();
    const offered = async () => (await page.locator("main button").allInnerTexts()).join();
    expect(await offered()).not.toMatch(/Drain|Delete|Start|Retry|Keep|Ignore/);
    await page.goto(`${server.url}#/clusters/hpc/overview`);
    await page.getByLabel("Problems").getByText("Paused by").waitFor();
    expect(await offered()).not.toMatch(/Pause|Resume|Retry/);
    await page.goto(`${server.url}#/clusters/hpc/config`);
    await page.getByRole("region", { name: "Stored configuration" }).waitFor();
    expect(await page.getByRole("link", { name: /Change|Store/ }).count()).toBe(0);
    await page.goto(`${server.url}#/clusters/hpc/config/edit`);
    await page.getByText("You may read the configuration, and not change it.").waitFor();
    expect(await page.locator("main textarea, main form").count()).toBe(0);
    await page.goto(`${server.url}#/clusters/hpc/rejects/r-1`);
    await page.getByText("Operators see the whole message").waitFor();
    expect(await page.locator("main textarea, main form").count()).toBe(0);
    expect(problems.filter((problem) => !problem.includes("401"))).toEqual([]);
  });

  test("who may only read is refused by the service, whatever the page offers", async () => {
    const token = await tenant.userToken(reader);
    const calls = [
      ["POST", "actions", { kind: "pause", by: "x", reason: "y" }],
      ["PUT", "config", { config: {}, by: "x", reason: "y" }],
      ["POST", "rejects/r-1/replay", {}],
      ["GET", "rejects/r-1", undefined],
    ] as const;
    for (const [method, path, body] of calls) {
      const response = await ask(method, path, token, body);
      expect(response.status, path).toBe(403);
      const title = expect.stringMatching(/^alice@example\.com .*lacks the role "Autoscale\.Operate"$/);
      expect(await response.json()).toMatchObject({ title });
    }
  });

  test("an operator whose role was taken away is told so by the act, and nothing is done", async () => {
    await signIn("#/clusters/hpc/overview");
    await page.getByRole("button", { name: "Pause scaling" }).waitFor();
    // The page knows the roles of the sign-in; the service those of the token that it gets.
    const token = await tenant.userToken(reader);
    await page.route(/\/(?:actions|config)$/, (route, request) =>
      request.method() === "GET"
        ? route.fallback()
        : route.continue({ headers: { ...request.headers(), authorization: `Bearer ${token}` } }),
    );
    await page.getByRole("button", { name: "Pause scaling" }).click();
    const dialog = page.getByRole("dialog");
    await dialog.getByLabel("Reason, for the record").fill("maintenance");
    await dialog.getByRole("button", { name: "Show what would be done" }).click();
    await dialog.getByRole("alert").getByText('lacks the role "Autoscale.Operate"').waitFor();
    await dialog.getByText("Ask whoever administers the app registration").waitFor();
    await dialog.getByRole("button", { name: "Cancel" }).click();
    await page.goto(`${server.url}#/clusters/hpc/config/edit`);
    await page.getByLabel("Reason, for the record").fill("maintenance");
    await page.getByRole("button", { name: "Show what would be done" }).click();
    await page.getByRole("alert").getByText('lacks the role "Autoscale.Operate"').waitFor();
    expect((await served.world.ports.controls.load("hpc"))?.value.paused ?? null).toBeNull();
  });

  test("a viewer without a role sees which is missing", async () => {
    tenant.people.claims = { roles: [] };
    await signIn();
    await page.getByRole("alert").getByText('lacks the role "Autoscale.Read"').waitFor();
  });

  test("a refusal of the tenant is shown as text", async () => {
    tenant.people.refusal = { error: "access_denied", description: "AADSTS50105 <img src=x onerror=hit=1>" };
    await signIn();
    await page.getByRole("alert").getByText("AADSTS50105 <img src=x").waitFor();
    expect(await page.evaluate("globalThis.hit")).toBeUndefined();
    expect(page.url()).not.toContain("error");
  });

  test("an answer that this tab did not ask for signs nobody in", async () => {
    await page.goto(`${server.url}?code=stolen&state=made-up`);
    await page.getByText("did not begin in this tab").waitFor();
    expect(tenant.people.granted).toEqual([]);
    expect(page.url()).not.toContain("stolen");
  });

  test("a token that ends soon is renewed, and the viewer sees nothing of it", async () => {
    tenant.people.tokenSeconds = 3_600;
    await page.clock.install();
    await signIn("#/clusters/hpc/overview");
    await page.getByRole("button", { name: "Pause scaling" }).waitFor();
    await page.clock.fastForward(3_400_000);
    await expect.poll(() => tenant.people.granted).toContain("refresh_token");
    await page.getByRole("button", { name: "Pause scaling" }).waitFor();
    expect(tenant.people.granted.filter((grant) => grant === "authorization_code")).toHaveLength(1);
  });

  test("a token that is not renewed ends with words, and the viewer signs in again", async () => {
    tenant.people.renews = false;
    await page.clock.install();
    await signIn("#/clusters/hpc/overview");
    await page.getByRole("button", { name: "Pause scaling" }).waitFor();
    await page.clock.fastForward(3_700_000);
    await page.getByText("Your sign-in has ended").waitFor();
    await signInButton().click();
    await page.getByRole("button", { name: "Pause scaling" }).waitFor();
  });

  test("a token that the service takes no more ends the session", async () => {
    await signIn("#/clusters/hpc/overview");
    await page.getByRole("button", { name: "Pause scaling" }).waitFor();
    server.fail(401);
    await signInButton().waitFor();
    await page.getByRole("alert").first().waitFor();
  });
});
