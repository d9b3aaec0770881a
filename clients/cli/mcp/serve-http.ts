import { createHash, timingSafeEqual } from "node:crypto";
import { once } from "node:events";
import { createServer, type IncomingMessage } from "node:http";
import type { AddressInfo } from "node:net";
import {
  localhostHostValidation,
  localhostOriginValidation,
  toNodeHandler,
} from "@modelcontextprotocol/node";
import { createMcpHandler, type McpServer } from "@modelcontextprotocol/server";

export interface HttpServing {
  readonly url: string;
  stop(): Promise<void>;
}

/** Serves by HTTP on this machine alone, to whoever shows the key: other users and pages in a browser can reach the port too. */
export async function serveHttp(
  createMcp: () => McpServer,
  { port, key }: { readonly port: number; readonly key: string },
): Promise<HttpServing> {
  const handler = toNodeHandler(createMcpHandler(createMcp));
  const isHostOurs = localhostHostValidation();
  const isOriginOurs = localhostOriginValidation();
  const server = createServer((request, response) => {
    if (!isHostOurs(request, response) || !isOriginOurs(request, response)) return;
    if (!showsKey(request, key))
      return void response
        .writeHead(401, { "www-authenticate": "Bearer" })
        .end("expected the key of this server\n");
    // Node.js declares what a request of a client never lacks as if it could.
    void handler(request as Parameters<typeof handler>[0], response);
  });
  server.listen(port, "127.0.0.1");
  await once(server, "listening");
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    stop: async () => {
      server.close();
      server.closeAllConnections();
      await once(server, "close");
    },
  };
}

function showsKey({ headers }: IncomingMessage, key: string): boolean {
  // Digests are of one length: how long a comparison takes says nothing about the key.
  const digest = (text: string) => createHash("sha256").update(text).digest();
  return timingSafeEqual(digest(headers.authorization ?? ""), digest(`Bearer ${key}`));
}
