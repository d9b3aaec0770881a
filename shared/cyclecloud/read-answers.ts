import type { PipelinePolicy } from "@azure/core-rest-pipeline";
import { UpstreamError } from "../errors.ts";
import { readAtMost } from "../read-at-most.ts";

/** The status of 10,000 nodes takes some 40 MiB. */
export const largestAnswerBytes = 64 * 1024 * 1024;

/**
 * Reads the body of every answer, be it a success or not, and gives it up when it is too large: the pipeline itself would
 * read whatever comes.
 */
export function readAnswers(mostBytes: number): PipelinePolicy {
  return {
    name: "readAnswers",
    async sendRequest(request, next) {
      request.streamResponseStatusCodes = new Set([Number.POSITIVE_INFINITY]);
      const { readableStreamBody: stream, ...response } = await next(request);
      if (stream === undefined) return response;
      const body = await readAtMost(stream as AsyncIterable<Uint8Array>, mostBytes).catch((error) => {
        // Its own error says no more than that the connection ended.
        throw request.abortSignal?.aborted === true
          ? new DOMException("no whole answer", "AbortError")
          : error;
      });
      if (body === undefined)
        throw new UpstreamError(
          `${request.method} ${new URL(request.url).pathname}: an answer of more than ${mostBytes} bytes, expected fewer`,
          { status: response.status, retryable: false },
        );
      return { ...response, bodyAsText: body.toString("utf8") };
    },
  };
}
