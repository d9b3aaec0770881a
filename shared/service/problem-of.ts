import type { Problem } from "../api/index.ts";
import { ConfigurationError, kindOf, messageOf, UpstreamError } from "../errors/errors.ts";
import { problem } from "./answered.ts";

const defaultRetryAfterSeconds = 5;

/** The problem for a thrown error, by who can fix it: the operator, time alone, or the maintainers (log, by invocation id). */
export function problemOf(error: unknown, invocationId?: string): Problem {
  if (error instanceof ConfigurationError)
    return problem("configuration", 500, {
      title: "The configuration of the cluster cannot be used",
      detail: "Fix the configuration, then call again",
      problems: [...error.problems],
    }).problem;
  if (error instanceof UpstreamError) return upstreamProblem(error);
  switch (kindOf(error)) {
    case "conflict":
      return problem("conflict", 409, { title: messageOf(error), detail: "Read it again, then retry" })
        .problem;
    case "stale-snapshot":
      return problem("stale-snapshot", 503, {
        title: messageOf(error),
        detail: "No recent snapshot of this cluster. Retry after the next one",
        retryAfterSeconds: 60,
      }).problem;
    case "configuration":
    case "upstream":
    case "invariant":
    case undefined:
      // Its message may hold anything, so it goes to the log alone.
      return problem("internal", 500, {
        title: "Something unexpected happened",
        detail: "The log of this invocation has the error",
        ...(invocationId === undefined ? {} : { invocationId }),
      }).problem;
  }
}

function upstreamProblem({ message, retryable, retryAfterSeconds }: UpstreamError): Problem {
  if (!retryable) return problem("upstream", 502, { title: message }).problem;
  const wait = retryAfterSeconds ?? defaultRetryAfterSeconds;
  return problem("upstream", 503, { title: message, retryAfterSeconds: wait }).problem;
}
