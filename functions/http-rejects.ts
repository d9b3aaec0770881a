import type { HttpRequest, HttpResponseInit, InvocationContext } from "@azure/functions";
import { refusals, rejectsQuery, replayBody } from "../shared/api/index.ts";
import { replayReject } from "../shared/operate/replay-reject.ts";
import { listRejects, showReject } from "../shared/views/index.ts";
import type { Caller } from "./support/guard.ts";
import {
  answerForCluster,
  callOf,
  json,
  polled,
  readBodyAlone,
  readQuery,
  refusedQuery,
  refusedWith,
} from "./support/http.ts";
import { noteClaim, serve } from "./support/serve.ts";
import { service } from "./support/service.ts";

const noSuchReject = ({ params }: HttpRequest) =>
  refusedWith(refusals.unknownReject(params.rejectionId ?? ""));

/** `GET /api/clusters/{cluster}/rejects`, newest first. */
export function httpRejects(request: HttpRequest, context: InvocationContext): Promise<HttpResponseInit> {
  return answerForCluster(callOf(request, context, service), async ({ ports, cluster }) => {
    const query = readQuery(request, rejectsQuery);
    return query.ok ? polled(request, await listRejects(ports, cluster, query.value)) : query.response;
  });
}

/** `GET /api/clusters/{cluster}/rejects/{rejectionId}`, with the whole message. */
export function httpReject(request: HttpRequest, context: InvocationContext): Promise<HttpResponseInit> {
  return answerForCluster(callOf(request, context, service), async ({ ports, cluster }) => {
    const refused = refusedQuery(request);
    if (refused !== undefined) return refused;
    const reject = await showReject(ports, cluster, request.params.rejectionId ?? "");
    return reject === undefined ? noSuchReject(request) : json(reject);
  });
}

/** `POST /api/clusters/{cluster}/rejects/{rejectionId}/replay`: the message, or a mended one, is sent on its way again. */
export function httpReplayReject(
  request: HttpRequest,
  context: InvocationContext,
  caller?: Caller,
): Promise<HttpResponseInit> {
  return answerForCluster(callOf(request, context, service), async (call) => {
    const { ports, cluster } = call;
    const body = await readBodyAlone(request, replayBody, { mostBytes: 256 * 1024 });
    if (!body.ok) return body.response;
    noteClaim(call, { call: "replay-reject", by: body.value.by, caller });
    const { demandQueue } = service.operators;
    const id = { cluster, rejectionId: request.params.rejectionId ?? "" };
    const replayed = await replayReject({ ...ports, demandQueue }, id, body.value);
    switch (replayed.outcome) {
      case "answered":
        return json(replayed.answer);
      case "refused":
        return refusedWith(refusals.notReplayed(replayed.problems));
      case "not-found":
        return noSuchReject(request);
    }
  });
}

serve("rejects", httpRejects);
serve("reject", httpReject);
serve("replay-reject", httpReplayReject);
