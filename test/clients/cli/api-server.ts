import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { HttpRequest, HttpResponse, type HttpResponseInit, InvocationContext } from "@azure/functions";
import { type Route, routes } from "../../../shared/api/index.ts";

export type Handlers = Readonly<
  Record<string, (request: HttpRequest, context: InvocationContext) => Promise<HttpResponseInit>>
>;

export interface ApiServer {
  readonly url: string;
  /** Method and path of every call, oldest first. */
  readonly calls: readonly string[];
  stop(): Promise<void>;
}

/** Serves the functions of routes by HTTP on 127.0.0.1, as the host does, in this process. */
export async function serveApi(handlers: Handlers): Promise<ApiServer> {
  const calls: string[] = [];
  const server = createServer(async (incoming, outgoing) => {
    const url = new URL(incoming.url ?? "", "http://127.0.0.1");
    calls.push(`${incoming.method} ${url.pathname}${url.search}`);
    const chunks: Buffer[] = [];
    for await (const chunk of incoming) chunks.push(chunk as Buffer);
    const found = routeOf(incoming.method ?? "", url.pathname);
    const handler = found && handlers[found.route.id];
    if (found === undefined || handler === undefined) return void outgoing.writeHead(404).end();
    const request = new HttpRequest({
      method: incoming.method ?? "",
      url: url.href,
      params: found.params,
      query: Object.fromEntries(url.searchParams),
      headers: Object.fromEntries(
        Object.entries(incoming.headers).map(([name, value]) => [name, String(value)]),
      ),
      ...(chunks.length > 0 && { body: { bytes: Buffer.concat(chunks) } }),
    });
    const context = new InvocationContext({ invocationId: "i-1", logHandler: () => {} });
    const response = new HttpResponse(await handler(request, context));
    outgoing.writeHead(response.status, Object.fromEntries(response.headers));
    outgoing.end(Buffer.from(await response.arrayBuffer()));
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    calls,
    stop: async () => {
      server.closeAllConnections();
      server.close();
      await once(server, "close");
    },
  };
}

/** The route that serves such a call, and its parameters. */
export function routeOf(
  method: string,
  path: string,
): { readonly route: Route; readonly params: Record<string, string> } | undefined {
  for (const route of routes) {
    if (route.method !== method) continue;
    const pattern = new RegExp(`^/api/${route.path.replaceAll(/\{(\w+)\}/g, "(?<$1>[^/]+)")}$`);
    const match = pattern.exec(path);
    if (match === null) continue;
    const params = Object.entries(match.groups ?? {});
    return {
      route,
      params: Object.fromEntries(params.map(([name, value]) => [name, decodeURIComponent(value)])),
    };
  }
  return undefined;
}
