import { subscribe, unsubscribe } from "node:diagnostics_channel";
import type { ClientRequest } from "node:http";

/**
 * Runs `work` and adds to `written` the containers, queues and tables that requests of this process write to meanwhile.
 * Looks at nothing but the first two parts of a path: `/account/container/blob`, `/account/Table(PartitionKey=…)`; the tables of a
 * batch are in its body, so that it counts as `$batch`.
 */
export async function notingWrites<T>(written: Set<string>, work: () => Promise<T>): Promise<T> {
  const note = (message: unknown) => {
    const { method, path } = (message as { readonly request: ClientRequest }).request;
    if (method === "GET" || method === "HEAD") return;
    // What is missing is made; in a deployment nothing is missing.
    if (path.includes("restype=container") || path.endsWith("/Tables")) return;
    const [, , name = ""] = path.split(/[/?(]/);
    written.add(name);
  };
  subscribe("http.client.request.start", note);
  try {
    return await work();
  } finally {
    unsubscribe("http.client.request.start", note);
  }
}
