import type { StatusProblem } from "../../../shared/api/index.ts";
import { Prose } from "./prose.tsx";

const words: Readonly<Record<StatusProblem["gravity"], string>> = {
  stopped: "Stopped",
  degraded: "Degraded",
  notice: "Notice",
};

/** What is wrong, the gravest first, and what to do about it. */
export function Problems({ problems }: { readonly problems: readonly StatusProblem[] }) {
  if (problems.length === 0) return <p class="problem fine">Nothing is wrong.</p>;
  return (
    <ul class="problems" aria-label="Problems" aria-live="polite">
      {problems.map(({ gravity, kind, text, next }, index) => (
        <li key={`${kind} ${index}`} class={`problem ${gravity}`}>
          <p>
            <strong>{words[gravity]}.</strong> <Prose text={text} />
          </p>
          <p>
            <Prose text={next} />
          </p>
        </li>
      ))}
    </ul>
  );
}
