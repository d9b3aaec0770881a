import { type Problem, type ProblemKind, problemType, refusals } from "../api/index.ts";
import type { Selected } from "../views/index.ts";

/** The answer of a route: a value, or a problem. */
export type Answered<T> =
  | {
      readonly ok: true;
      readonly answer: T;
      /** It was accepted and takes effect later (HTTP 202). */
      readonly isAccepted?: boolean;
      /** The ETag of a record that can be replaced; the next change has to send it. */
      readonly etag?: string;
    }
  | Refused;

export interface Refused {
  readonly ok: false;
  readonly problem: Problem;
}

export function answered<T>(answer: T): Answered<T> {
  return { ok: true, answer };
}

/** 202, or 200 for a dry run, which changes nothing. */
export function accepted<T>(answer: T, { isDryRun }: { readonly isDryRun: boolean }): Answered<T> {
  return { ok: true, answer, isAccepted: !isDryRun };
}

export function refused(problem: Problem): Refused {
  return { ok: false, problem };
}

/** A problem in words of its own; those that several places give are in `refusals`. */
export function problem(kind: ProblemKind, status: number, words: Omit<Problem, "type" | "status">): Refused {
  return refused({ type: problemType(kind), status, ...words });
}

export function badRequest(title: string, problems: readonly string[], detail?: string): Refused {
  const more = detail === undefined ? {} : { detail };
  return problem("bad-request", 400, { title, problems: [...problems], ...more });
}

export function notFound(title: string, detail?: string): Refused {
  return problem("not-found", 404, { title, ...(detail === undefined ? {} : { detail }) });
}

export function unknownCluster(cluster: string, configured?: readonly string[]): Refused {
  return refused(refusals.unknownCluster(cluster, configured));
}

/** What was found, or that there is no such thing. */
export function found<T>(answer: T | undefined, missing: Problem): Answered<T> {
  return answer === undefined ? refused(missing) : answered(answer);
}

/** What was drawn up of a selection of nodes, or every reason why they cannot be selected. */
export function ifSelected<T>(selected: Selected<T>): Answered<T> {
  return selected.ok
    ? answered(selected.answer)
    : badRequest("The nodes cannot be selected", selected.problems);
}
