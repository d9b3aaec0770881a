import { type Problem, problemSchema } from "../../../shared/api/index.ts";
import { printable } from "../../../shared/text.ts";
import { CommandFailure, NotFound, Refused } from "../exit-code.ts";
import { version } from "../version.ts";

/** An answer that is no success, as what to tell the operator: what went wrong, every problem, what to do next. */
export function toFailure(status: number, body: unknown): CommandFailure {
  const parsed = problemSchema.safeParse(body);
  if (!parsed.success)
    return new CommandFailure(
      `The service answers HTTP ${status} without saying why`,
      nextByStatus(status) ?? "Check that the address is that of the service.",
    );
  const { type, title, problems = [], detail, retryAfterSeconds, invocationId } = parsed.data;
  const lines = [
    printable(title),
    ...problems.map((problem) => `  - ${printable(problem)}`),
    ...(invocationId === undefined ? [] : [`  invocation ${printable(invocationId)}`]),
  ];
  const next = detail ?? nextByStatus(status) ?? nextByKind(parsed.data);
  const wait = retryAfterSeconds === undefined ? "" : ` Try again in ${Math.ceil(retryAfterSeconds)} s.`;
  const Failure = failureOf(type, detail);
  return new Failure(lines.join("\n"), `${sentence(printable(next))}${wait}`);
}

function failureOf(type: string, detail: string | undefined): typeof CommandFailure {
  if (type.endsWith(":not-found")) return NotFound;
  return type.endsWith(":refused") && detail === undefined ? Refused : CommandFailure;
}

function nextByStatus(status: number): string | undefined {
  switch (status) {
    case 401:
      return "Give the key of the function app in CCSCALE_KEY. A token (CCSCALE_AUDIENCE) is enough where the app setting API_LOGIN is entra, and is needed beside the key where App Service authentication is switched on.";
    case 403:
      return "Who you are is known, and may not do this: ask for the role, or use another key.";
    case 429:
      return "The service is asked too often; wait a little.";
    default:
      return undefined;
  }
}

/** `ccscale` sends no key by itself that a service of its own release does not know; what operators write is further inside. */
const unknownToService = /^message: .*unrecognized keys?: /s;

function nextByKind({ type, problems = [] }: Problem): string {
  switch (type.slice(type.lastIndexOf(":") + 1)) {
    case "unknown-cluster":
      return 'Check the name after --cluster; "ccscale config push" adds a cluster.';
    case "not-found":
      return "Check the name or id; lists such as nodes, jobs and plans have them.";
    case "bad-request":
      if (problems.some((problem) => unknownToService.test(problem)))
        return `The service does not know what this ccscale (${version}) sends: it is of an older release. Update the service, or use the ccscale of its release.`;
      return "Mend what is named above, then try again.";
    default:
      return 'Run "ccscale status" to see how the cluster is.';
  }
}

function sentence(text: string): string {
  return /[.!?]$/.test(text) ? text : `${text}.`;
}
