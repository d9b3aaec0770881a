import { request } from "node:http";
import { resolve } from "node:path";
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { serveHttp } from "../../../../clients/cli/mcp/serve-http.ts";
import { createMcpServer } from "../../../../clients/cli/mcp/server.ts";
import { ownFolder } from "../../../support/own-folder.ts";
import { archiveOf, busyWorld, serviceOn } from "../archived-world.ts";
import { ask } from "./ask-by-mcp.ts";

const folder = ownFolder();
test("ccscale mcp is a process that a client starts, asks and ends", async () => {
  const archive = await archiveOf(await busyWorld(), folder());
  const client = new Client({ name: "a test", version: "1" });
  const main = resolve(import.meta.dirname, "../../../../clients/cli/main.ts");
  const transport = new StdioClientTransport({
    command: process.execPath,
    args: [main, "mcp", "--offline", archive],
    stderr: "pipe",
  });
  await client.connect(transport);
  const { text } = await ask(client, "explain_job", { job: "1202" });
  expect(text).toContain("Each place asks for 64 ncpus");
  await client.close();
});

describe("by HTTP", () => {
  const key = "k-1";
  let serving: Awaited<ReturnType<typeof serveHttp>>;
  beforeAll(async () => {
    const world = await busyWorld();
    const service = serviceOn(world.ports as Parameters<typeof serviceOn>[0]);
    const served = { reaching: async () => service, nowSeconds: () => world.now() };
    serving = await serveHttp(() => createMcpServer(served), { port: 0, key });
  });
  afterAll(() => serving.stop());

  const statusOf = (headers: Record<string, string>): Promise<number | undefined> =>
    new Promise((done, fail) => {
      const sent = request(serving.url, {
        method: "POST",
        headers: { "content-type": "application/json", ...headers },
      });
      sent.once("response", (response) => {
        response.resume();
        done(response.statusCode);
      });
      sent.once("error", fail);
      sent.end("{}");
    });

  test("whoever shows the key is answered", async () => {
    const client = new Client({ name: "a test", version: "1" });
    const headers = { authorization: `Bearer ${key}` };
    await client.connect(
      new StreamableHTTPClientTransport(new URL(serving.url), { requestInit: { headers } }),
    );
    expect((await ask(client, "status")).text).toContain("1 node of htc failed");
    await client.close();
  });

  test.each([
    ["nobody without the key", {}, 401],
    ["nobody with another key", { authorization: "Bearer k-2" }, 401],
    ["no page of a browser", { authorization: `Bearer ${key}`, origin: "https://evil.example" }, 403],
    ["no name that was made to lead here", { authorization: `Bearer ${key}`, host: "evil.example" }, 403],
  ])("%s", async (_, headers, status) => {
    expect(await statusOf(headers)).toBe(status);
  });
});
