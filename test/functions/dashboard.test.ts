import { gunzipSync, gzipSync } from "node:zlib";
import { HttpRequest } from "@azure/functions";
import { beforeAll, describe, expect, test } from "vitest";
import { dashboard, dashboardFile } from "../../functions/dashboard.ts";
import { dashboardFiles } from "../../functions/support/dashboard-files.ts";
import { dashboardPage, pageLogin } from "../../functions/support/dashboard-page.ts";
import { bundleDashboard, writeDashboard } from "../../infra/package/dashboard.ts";
import { ownFolder } from "../support/own-folder.ts";

/** Of all that a browser loads. */
const mostBytes = 96 * 1024;

const folder = ownFolder();

beforeAll(async () => {
  await writeDashboard(folder());
});

const headersOf = (response: { readonly headers?: unknown }) =>
  new Headers(response.headers as Record<string, string>);

const get = (path: string, headers: Record<string, string> = {}) =>
  new HttpRequest({
    method: "GET",
    url: `http://127.0.0.1/api/dashboard${path}`,
    params: { file: path.slice(1) },
    headers,
  });

test("all of it is at most 96 kB packed", async () => {
  const files = await bundleDashboard();
  const bytes = [...files.values()].reduce((sum, content) => sum + gzipSync(content, { level: 9 }).length, 0);
  expect(bytes).toBeLessThan(mostBytes);
});

test("the same sources give the same names", async () => {
  expect([...(await bundleDashboard()).keys()]).toEqual([...(await bundleDashboard()).keys()]);
});

describe("what is served", () => {
  test("the page names its files, and forbids all others", async () => {
    const files = await dashboardFiles(folder());
    if (files === undefined) throw new Error("it was not built");
    const response = await dashboard(get(""), folder());
    expect(response.status).toBe(200);
    expect(response.body).toContain(`src="dashboard/${files.script}"`);
    const policy = headersOf(response).get("content-security-policy");
    expect(policy).toContain("default-src 'none'; script-src 'self'; style-src 'self'");
    expect(policy).not.toMatch(/unsafe|\*|https?:/);
    expect(headersOf(response).get("cache-control")).toBe("no-cache");
  });

  test("a file may be kept for ever, and is packed for who can unpack it", async () => {
    const { script = "" } = (await dashboardFiles(folder())) ?? {};
    const plain = await dashboardFile(get(`/${script}`), folder());
    expect(headersOf(plain).get("cache-control")).toContain("immutable");
    expect(headersOf(plain).get("content-type")).toBe("text/javascript; charset=utf-8");
    const zipped = await dashboardFile(get(`/${script}`, { "accept-encoding": "br, gzip" }), folder());
    expect(headersOf(zipped).get("content-encoding")).toBe("gzip");
    expect(gunzipSync(zipped.body as Buffer).equals(plain.body as Buffer)).toBe(true);
  });

  test.each(["", "/files.json", "/../host.json", "/app-00000000.js"])("no other file: %s", async (path) => {
    expect(await dashboardFile(get(path), folder())).toMatchObject({ status: 404 });
  });

  test("an app that was built without it says what to do", async () => {
    expect(await dashboard(get(""), folder("missing"))).toMatchObject({
      status: 404,
      jsonBody: { detail: "Run npm run build, or deploy a package that npm run package made" },
    });
  });
});

test("where tokens are asked for, the page knows the tenant, and may call it", () => {
  const issuer = {
    authority: "https://login.example",
    tenantId: "11111111-1111-4111-8111-111111111111",
    clientId: "22222222-2222-4222-8222-222222222222",
  };
  const login = pageLogin({ by: "entra", issuer });
  const page = dashboardPage({ script: "a.js", imported: ["b.js"], style: "a.css", login, isFolder: true });
  expect(page.body).toContain(
    `content="entra" data-authority="${issuer.authority}" data-tenant-id="${issuer.tenantId}"`,
  );
  expect(page.body).toContain('src="a.js"');
  expect(page.body).toContain('<link rel="modulepreload" href="b.js">');
  expect(headersOf(page).get("content-security-policy")).toContain(
    "connect-src 'self' https://login.example;",
  );
});
