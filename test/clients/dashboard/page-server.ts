import { once } from "node:events";
import { createServer, type IncomingHttpHeaders, type IncomingMessage } from "node:http";
import type { AddressInfo } from "node:net";
import type { HttpResponseInit } from "@azure/functions";
import { dashboardPage, type PageLogin } from "../../../functions/support/dashboard-page.ts";
import type { DashboardFiles } from "../../../infra/package/dashboard.ts";
import type { ApiServer } from "../cli/api-server.ts";

export interface PageServer {
  /** Of the page. */
  readonly url: string;
  /** Path and query of every call of the API. */
  paths(): readonly string[];
  /** Of every answer of the API, in the order in which they were given. */
  statuses(): readonly number[];
  /** From then on calls of the API need this key. */
  wantKey(key: string): void;
  /** From then on calls are answered with this status, or not at all. Undefined: as they should be. */
  fail(how: number | "gone" | undefined): void;
  /** From then on calls of the API wait until `release`. */
  hold(): void;
  release(): void;
  reset(): void;
  stop(): Promise<void>;
}

/** Who may see the page and call the API. */
export interface PageAccess {
  readonly login: PageLogin;
  /** Undefined: whoever calls so may; else what they are answered with. */
  readonly refused: (call: IncomingMessage) => Promise<HttpResponseInit | undefined>;
}

/** Serves the page, and passes on what it asks of the API: with a key, and with faults. */
export async function servePage(
  files: DashboardFiles,
  api: ApiServer,
  { login, refused }: PageAccess = { login: { by: "function-key" }, refused: async () => undefined },
): Promise<PageServer> {
  const named = JSON.parse(String(Buffer.from(files.get("files.json") ?? ""))) as Omit<
    Parameters<typeof dashboardPage>[0],
    "isFolder" | "login"
  >;
  const html = dashboardPage({ ...named, isFolder: false, login });
  let key: string | undefined;
  let failing: number | "gone" | undefined;
  let held = Promise.resolve();
  let release = () => {};
  const paths: string[] = [];
  const statuses: number[] = [];
  const server = createServer(async (incoming, outgoing) => {
    const path = incoming.url ?? "";
    const file = files.get(path.replace("/api/dashboard/", ""));
    if (path.split("?")[0] === "/api/dashboard")
      return void outgoing.writeHead(200, html.headers as Record<string, string>).end(html.body);
    if (file !== undefined) {
      const type = path.endsWith(".js") ? "text/javascript" : "text/css";
      return void outgoing.writeHead(200, { "content-type": type }).end(file);
    }
    paths.push(path);
    await held;
    if (failing === "gone") return void incoming.socket.destroy();
    if (failing !== undefined) {
      statuses.push(failing);
      return void outgoing.writeHead(failing).end();
    }
    if (key !== undefined && incoming.headers["x-functions-key"] !== key)
      return void outgoing.writeHead(401).end();
    const refusal = await refused(incoming);
    if (refusal !== undefined)
      return void outgoing.writeHead(refusal.status ?? 500).end(JSON.stringify(refusal.jsonBody));
    // A view that is left takes its calls back.
    const chunks: Buffer[] | undefined = await incoming.toArray().catch(() => undefined);
    if (chunks === undefined) return void outgoing.destroy();
    const response = await fetch(`${api.url}${path}`, {
      method: incoming.method ?? "GET",
      // A connection that stays open may be closed by the other side at the moment it is used again.
      headers: { "content-type": "application/json", connection: "close", ...passedOn(incoming.headers) },
      ...(chunks.length > 0 ? { body: Buffer.concat(chunks) } : {}),
    });
    const etag = response.headers.get("etag");
    statuses.push(response.status);
    outgoing.writeHead(response.status, { "content-type": "application/json", ...(etag && { etag }) });
    outgoing.end(Buffer.from(await response.arrayBuffer()));
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/api/dashboard`,
    paths: () => paths,
    statuses: () => statuses,
    wantKey: (wanted) => {
      key = wanted;
    },
    fail: (how) => {
      failing = how;
    },
    hold: () => {
      ({ promise: held, resolve: release } = Promise.withResolvers<void>());
    },
    release: () => release(),
    reset: () => {
      release();
      key = undefined;
      failing = undefined;
      paths.length = 0;
      statuses.length = 0;
    },
    stop: async () => {
      server.closeAllConnections();
      server.close();
      await once(server, "close");
    },
  };
}

/** Of what the page sends, that which the service reads. */
function passedOn(headers: IncomingHttpHeaders): Record<string, string> {
  const read = ["authorization", "if-match", "if-none-match", "idempotency-key"];
  return Object.fromEntries(
    Object.entries(headers).flatMap(([name, value]) =>
      read.includes(name) && value !== undefined ? [[name, String(value)]] : [],
    ),
  );
}
