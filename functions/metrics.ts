import type { HttpRequest, HttpResponseInit, InvocationContext } from "@azure/functions";
import { drawUpMetrics } from "../shared/views/index.ts";
import { exposed } from "./support/exposition.ts";
import { serve } from "./support/serve.ts";
import { service } from "./support/service.ts";

/** Figures of every cluster for Prometheus, which reads them as text. */
export async function metrics(request: HttpRequest, context: InvocationContext): Promise<HttpResponseInit> {
  const ports = service.portsFor(context);
  const lookAhead = (cluster: string) => service.outlooks.lookAhead(ports, cluster);
  return exposed(await drawUpMetrics({ ...ports, lookAhead }), request.headers.get("accept"));
}

serve({ id: "metrics", method: "GET", path: "metrics", role: "reader" }, metrics);
