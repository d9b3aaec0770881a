import type { ComponentChildren } from "preact";
import { useEffect, useState } from "preact/hooks";
import { parseJson } from "../../../shared/json/json.ts";
import { choose, type Place } from "../place.ts";
import { CallError, call } from "../service/call.ts";
import { Refusal } from "./refusal.tsx";

/** Fields of a question that the service makes plans for, its answer, and the command that asks the same. The address has what was asked. */
export function AskingForm<Asking extends object, Answer extends object>(props: {
  readonly place: Place;
  readonly path: string;
  /** Undefined: nothing is asked. */
  readonly asked: Asking | undefined;
  readonly fields: ComponentChildren;
  /** What the fields ask for. Throws SyntaxError, with what is wrong in words. */
  readonly read: (fields: FormData) => Asking;
  /** What is sent beside that. */
  readonly beside?: object;
  readonly button: string;
  /** What takes a question back; absent: nothing does. */
  readonly end?: string;
  readonly command: (asked: Asking) => string;
  readonly class?: string;
  readonly children: (answer: Answer) => ComponentChildren;
}) {
  const { place, path, asked, fields, read, beside, button, end, command, children } = props;
  const [wrong, setWrong] = useState<string>();
  // The same question may be asked again: the cluster goes on.
  const [turn, setTurn] = useState(0);
  const text = asked === undefined ? "" : JSON.stringify({ ...asked, ...beside });
  const answer = useAnswer<Answer>(path, text, turn);
  const ask = (form: HTMLFormElement) => {
    try {
      const next = read(new FormData(form));
      setWrong(undefined);
      choose(place, { try: JSON.stringify(next) });
      setTurn(turn + 1);
    } catch (error) {
      setWrong(error instanceof Error ? error.message : String(error));
    }
  };
  return (
    <>
      <div class={props.class}>
        <form
          onSubmit={(event) => {
            event.preventDefault();
            ask(event.currentTarget);
          }}
        >
          {fields}
          {wrong === undefined ? null : (
            <p role="alert" class="problem stopped">
              {wrong}
            </p>
          )}
          <div class="acts">
            <button type="submit">{button}</button>
            {asked === undefined || end === undefined ? null : (
              <button type="button" class="plain" onClick={() => choose(place, { try: "" })}>
                {end}
              </button>
            )}
          </div>
        </form>
        <div aria-live="polite">
          {asked === undefined ? null : answer === undefined ? (
            <p class="quiet">Planning…</p>
          ) : answer instanceof CallError ? (
            <Refusal error={answer} />
          ) : (
            children(answer)
          )}
        </div>
      </div>
      {asked === undefined ? null : (
        <p class="quiet">
          In a terminal: <code>{command(asked)}</code>
        </p>
      )}
    </>
  );
}

/** Undefined: not there yet, or nothing is asked. */
function useAnswer<T extends object>(path: string, text: string, turn: number): T | CallError | undefined {
  const [result, setResult] = useState<{ readonly of: string; readonly answer: T | CallError }>();
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
  return result?.of === text ? result.answer : undefined;
}
