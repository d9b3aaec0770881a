import type { ComponentChildren } from "preact";
import { useEffect, useState } from "preact/hooks";
import { parseJson } from "../../../shared/json/json.ts";
import { CallError, call } from "../service/call.ts";
import { Refusal } from "./refusal.tsx";

/** The answer to a question that the service makes plans for. Asked anew for another body, or in another turn. */
export function Asked<T extends object>(props: {
  readonly path: string;
  /** Undefined: nothing is asked. */
  readonly body: object | undefined;
  readonly turn: number;
  readonly children: (answer: T) => ComponentChildren;
}) {
  const { path, body, turn, children } = props;
  const [result, setResult] = useState<{ readonly of: string; readonly answer: T | CallError }>();
  const text = body === undefined ? "" : JSON.stringify(body);
  useEffect(() => {
    if (text === "") return undefined;
    const ended = new AbortController();
    call<T>(path, { method: "POST", body: parseJson(text), signal: ended.signal }).then(
      ({ answer }) => answer && setResult({ of: text, answer }),
      (error: unknown) => {
        if (error instanceof CallError) setResult({ of: text, answer: error });
      },
    );
    return () => ended.abort();
  }, [text, turn, path]);
  return (
    <div aria-live="polite">
      {text === "" ? null : result?.of !== text ? (
        <p class="quiet">Planning…</p>
      ) : result.answer instanceof CallError ? (
        <Refusal error={result.answer} />
      ) : (
        children(result.answer)
      )}
    </div>
  );
}
