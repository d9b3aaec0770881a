import type { HttpRequest, HttpResponseInit, InvocationContext } from "@azure/functions";
import { explainQuery, jobsQuery, quoted } from "../shared/api/index.ts";
import { explainJob, listJobs } from "../shared/views/index.ts";
import { badRequest, callOf, ifSelected, json, notFound, polled, readQuery } from "./support/http.ts";
import { answerFromOutlook } from "./support/outlook.ts";
import { serve } from "./support/serve.ts";
import { service } from "./support/service.ts";

/** `GET /api/clusters/{cluster}/jobs`: jobs that run, wait, or have a place in part. */
export function httpJobs(request: HttpRequest, context: InvocationContext): Promise<HttpResponseInit> {
  const read = readQuery(request, jobsQuery);
  return answerFromOutlook(callOf(request, context, service), read, (outlook, query) =>
    ifSelected(listJobs(outlook, query), (answer) => polled(request, answer)),
  );
}

/** `GET /api/clusters/{cluster}/jobs/{job}/explain`: why it waits, or where it goes. */
export function httpExplain(request: HttpRequest, context: InvocationContext): Promise<HttpResponseInit> {
  const read = readQuery(request, explainQuery);
  return answerFromOutlook(callOf(request, context, service), read, (outlook, { source }) => {
    const explained = explainJob(outlook, request.params.job ?? "", source);
    switch (explained.outcome) {
      case "explained":
        return json(explained.answer);
      case "unknown-job":
        return notFound(
          `No source wants a job ${quoted(request.params.job ?? "")}`,
          "Jobs that are done are no demand any more",
        );
      case "ambiguous":
        return badRequest(
          "Several sources want a job of this name",
          [`source: missing, expected one of ${explained.sources.map((source) => `"${source}"`).join(", ")}`],
          explained.next,
        );
    }
  });
}

serve("jobs", httpJobs);
serve("explain", httpExplain);
