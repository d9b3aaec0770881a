import { createServer, type IncomingMessage, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { fakeJetpack, runAutostop } from "../support/autostop.ts";
import { ownFolder } from "../support/own-folder.ts";

const folder = ownFolder();
let server: Server;
let url: string;
let status = 200;
let requests: Pick<IncomingMessage, "url" | "method" | "headers">[] = [];

beforeAll(async () => {
  server = createServer(({ url, method, headers }, response) => {
    requests.push({ url, method, headers });
    response.writeHead(status).end('{"title":"a\nb"}');
  });
  await new Promise<void>((done) => server.listen(0, "127.0.0.1", done));
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/api/clusters/hpc/autostop`;
});

beforeEach(() => {
  status = 200;
  requests = [];
});

afterAll(async () => {
  server.close();
});

async function run(settings: Record<string, string>) {
  return runAutostop(await fakeJetpack(folder(), { "cyclecloud.instance.id": "vm 1&2", ...settings }));
}

describe("autostop.sh", () => {
  test("asks with the node's id and its login, whatever characters they hold", async () => {
    const password = `p"a\\s$s 'w' #ö`;
    const { code, out } = await run({
      "autostop.url": url,
      "autostop.username": "node",
      "autostop.password": password,
    });
    expect({ code, out }).toEqual({
      code: 0,
      out: expect.stringMatching(/^autostop: yes, .*\{"title":"a b"\}/),
    });
    const [request] = requests;
    expect(request).toMatchObject({ method: "GET", url: "/api/clusters/hpc/autostop?instance=vm+1%262" });
    const login = Buffer.from(`node:${password}`).toString("base64");
    expect(request?.headers.authorization).toBe(`Basic ${login}`);
  });

  test("asks with a function key when there is one", async () => {
    await run({ "autostop.url": url, "autostop.key": "f-key" });
    expect(requests[0]?.headers).toMatchObject({ "x-functions-key": "f-key" });
    expect(requests[0]?.headers.authorization).toBeUndefined();
  });

  test.each([
    [409, 0, /^autostop: no: /],
    [404, 0, /^autostop: no node of the cluster is instance vm 1&2/],
    [429, 0, /^autostop: not now/],
    [503, 0, /^autostop: not now/],
    [400, 1, /^autostop: HTTP 400/],
    [401, 1, /^autostop: HTTP 401/],
    [500, 1, /^autostop: HTTP 500/],
  ])("HTTP %i ends with %i", async (answered, expected, says) => {
    status = answered;
    const { code, out } = await run({ "autostop.url": url, "autostop.key": "k" });
    expect({ code, out }).toEqual({ code: expected, out: expect.stringMatching(says) });
  });

  test.each([
    [
      "no id",
      { "cyclecloud.instance.id": "", "autostop.url": "http://x", "autostop.key": "k" },
      /cyclecloud.instance.id is not set/,
    ],
    ["no address", { "autostop.key": "k" }, /autostop.url is not set/],
    ["no login", { "autostop.url": "http://x", "autostop.username": "node" }, /no login/],
    ["nobody there", { "autostop.url": "http://127.0.0.1:9/", "autostop.key": "k" }, /cannot reach/],
  ])("%s ends with 1 and says so", async (_, settings, says) => {
    const { code, out } = await run(settings);
    expect({ code, out }).toEqual({ code: 1, out: expect.stringMatching(says) });
    expect(requests).toEqual([]);
  });

  test("a node without jetpack says what is missing", async () => {
    const { code, out } = await runAutostop("/nowhere");
    expect({ code, out }).toEqual({
      code: 1,
      out: expect.stringMatching(/cyclecloud.instance.id is not set/),
    });
  });
});
