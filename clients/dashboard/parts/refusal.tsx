import type { ComponentChildren } from "preact";
import type { CallError } from "../service/call.ts";
import { Prose } from "./prose.tsx";

/** A call that was refused or got no answer: everything that is wrong, and what can be done about it. */
export function Refusal(props: {
  readonly error: CallError;
  /** Absent: those of the answer. */
  readonly problems?: readonly string[];
  readonly gravity?: "stopped" | "degraded";
  /** What stands before a problem, such as where it is. */
  readonly before?: (problem: string) => ComponentChildren;
  readonly children?: ComponentChildren;
}) {
  const { error, problems = error.problems, gravity = "stopped", before, children } = props;
  return (
    <div role="alert" class={`problem ${gravity}`}>
      <p>
        <Prose text={error.message} />
      </p>
      {problems.length === 0 ? null : (
        <ul>
          {problems.map((problem) => (
            <li key={problem}>
              {before?.(problem)}
              {problem}
            </li>
          ))}
        </ul>
      )}
      {children}
    </div>
  );
}
