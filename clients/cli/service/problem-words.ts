import { type Problem, problemSchema } from "../../../shared/api/index.ts";
import { exactDuration } from "../../../shared/text/durations.ts";
import { printable } from "../../../shared/text/text.ts";
import { CommandFailure, Forbidden, NotFound, Refused } from "../exit-code.ts";
import { version } from "../version.ts";

/** The failure for an answer that is not a success: what went wrong, every problem, what to do next. */
export function toFailure(status: number, body: unknown): CommandFailure {
  const parsed = problemSchema.safeParse(body);
  if (!parsed.success)
    return new (status === 403 ? Forbidden : CommandFailure)(
      `The service answered HTTP ${status} without a reason`,
      nextByStatus(status) ?? "Check the address of the service.",
    );
  const {
    type,
    title,
    problems = [],
    takenNames = [],
    detail,
    retryAfterSeconds,
    invocationId,
  } = parsed.data;
  const lines = [
    printable(title),
    ...problems.map((problem) => `  - ${printable(problem)}`),
    ...(invocationId === undefined ? [] : [`  invocation ${printable(invocationId)}`]),
  ];
  const next = detail ?? nextByStatus(status) ?? nextByKind(parsed.data);
  const wait =
    retryAfterSeconds === undefined ? "" : ` Try again in ${exactDuration(Math.ceil(retryAfterSeconds))}.`;
  const message = lines.join("\n");
  const whatNext = `${sentence(printable(next))}${wait}`;
  if (status === 403) return new Forbidden(message, whatNext);
  if (type.endsWith(":not-found")) return new NotFound(message, whatNext);
  return type.endsWith(":refused") && detail === undefined
    ? new Refused(message, whatNext, { problems, takenNames })
    : new CommandFailure(message, whatNext);
}

function nextByStatus(status: number): string | undefined {
  switch (status) {
    case 401:
      return "Set CCSCALE_KEY to the key of the function app. If its setting API_LOGIN is entra, set CCSCALE_AUDIENCE instead; if App Service authentication is on, set both.";
    case 403:
      return "You are signed in, but may not do this. Ask for the role, or use another key.";
    case 429:
      return "Too many calls. Wait a moment, then try again.";
    default:
      return undefined;
  }
}

/** At the top of a message, `ccscale` alone writes keys: an unknown one there means that the releases differ. */
const unknownToService = /^message: .*unrecognized keys?: /s;

function nextByKind({ type, problems = [] }: Problem): string {
  switch (type.slice(type.lastIndexOf(":") + 1)) {
    case "unknown-cluster":
      return 'Check the name after --cluster; "ccscale config push" adds a cluster.';
    case "not-found":
      return "Check the name or id; lists such as nodes, jobs and plans have them.";
    case "bad-request":
      if (problems.some((problem) => unknownToService.test(problem)))
        return `The service does not know a field that this ccscale (${version}) sends, so it is an older release. Upgrade the service, or use the ccscale of its release.`;
      return "Fix these problems, then try again.";
    default:
      return 'Run "ccscale status" to see the state of the cluster.';
  }
}

function sentence(text: string): string {
  return /[.!?]$/.test(text) ? text : `${text}.`;
}
