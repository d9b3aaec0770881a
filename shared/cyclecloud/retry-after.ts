import type { HttpHeaders, PipelinePolicy, PipelineResponse } from "@azure/core-rest-pipeline";

/** What `Retry-After` asks for, in seconds from now: it holds seconds or a date. Undefined when it is absent or odd. */
export function retryAfterSeconds(headers: HttpHeaders): number | undefined {
  const value = headers.get("Retry-After")?.trim();
  if (value === undefined || value === "") return undefined;
  const seconds = Number(value);
  if (Number.isFinite(seconds)) return Math.max(0, seconds);
  const until = (Date.parse(value) - Date.now()) / 1000;
  return Number.isFinite(until) ? Math.max(0, until) : undefined;
}

/** The server asks for a longer pause than a call can wait; whoever handles the message waits instead. */
export class LongPause extends Error {
  readonly response: PipelineResponse;

  constructor(response: PipelineResponse) {
    super(`HTTP ${response.status} with a long Retry-After`);
    this.response = response;
  }
}

/** Sits inside the retries, which would wait for any `Retry-After`, be it an hour. */
export function refuseLongPauses(longestPauseMs: number): PipelinePolicy {
  return {
    name: "refuseLongPauses",
    async sendRequest(request, next) {
      const response = await next(request);
      const seconds = [429, 503].includes(response.status) ? retryAfterSeconds(response.headers) : undefined;
      if (seconds !== undefined && seconds * 1000 > longestPauseMs) throw new LongPause(response);
      return response;
    },
  };
}
