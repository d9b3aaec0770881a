import http, { type IncomingMessage, type RequestListener, type ServerResponse } from "node:http";
import https from "node:https";
import type { AddressInfo } from "node:net";

export interface ReceivedCall {
  readonly method: string;
  readonly path: string;
  readonly headers: IncomingMessage["headers"];
  readonly body: string;
}

/** One answer; the last one of a script is given to all further calls. */
export type ScriptedAnswer =
  | { readonly status: number; readonly body?: string | object; readonly headers?: Record<string, string> }
  | ((response: ServerResponse, call: ReceivedCall) => void);

export interface ScriptedServer {
  readonly url: string;
  readonly calls: ReceivedCall[];
  answer(...script: ScriptedAnswer[]): void;
  close(): Promise<void>;
}

/** A real HTTP server on a free port that answers as told, also in ways that no framework would. */
export async function startScriptedServer(tls?: { key: string; cert: string }): Promise<ScriptedServer> {
  const calls: ReceivedCall[] = [];
  let script: ScriptedAnswer[] = [];
  const listener: RequestListener = async (request, response) => {
    const { method = "", url = "", headers } = request;
    const call = { method, path: url, headers, body: await readAll(request) };
    calls.push(call);
    const next = script.length > 1 ? script.shift() : script[0];
    if (typeof next === "function") return next(response, call);
    const body = typeof next?.body === "object" ? JSON.stringify(next.body) : (next?.body ?? "");
    response.writeHead(next?.status ?? 500, next?.headers).end(body);
  };
  const server = tls ? https.createServer(tls, listener) : http.createServer(listener);
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    url: `${tls ? "https" : "http"}://127.0.0.1:${(server.address() as AddressInfo).port}`,
    calls,
    answer: (...answers) => {
      script = answers;
      calls.length = 0;
    },
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

async function readAll(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString();
}
