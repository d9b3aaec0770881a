import type { ComponentChildren } from "preact";
import { useId, useLayoutEffect, useRef, useState } from "preact/hooks";
import { Refusal } from "../parts/refusal.tsx";
import { CallError } from "../service/call.ts";
import { session } from "../service/session.ts";

export interface ActSteps<A> {
  /** On the button that does it. */
  readonly title: string;
  readonly isDestructive?: boolean;
  /** False: the service records no reason for it. */
  readonly takesReason?: boolean;
  /** What is asked for, until it is done. It is fixed once a dry run has shown what would come of it. */
  readonly fields?: (isFixed: boolean) => ComponentChildren;
  /** Throws CallError. */
  readonly ask: (asked: { readonly reason: string; readonly dryRun: boolean }) => Promise<A>;
  /** Whether a dry run shows something to do. */
  readonly isPossible: (answer: A) => boolean;
  readonly show: (answer: A) => ComponentChildren;
  /** The line for a terminal that does the same. */
  readonly commandOf: (reason: string) => string;
  readonly followUp: (answer: A) => ComponentChildren;
  /** In place of the usual words. `back` goes back to what is asked for. */
  readonly refusal?: (error: CallError, back: () => void) => ComponentChildren;
  readonly onDone?: (answer: A) => void;
  readonly close?: () => void;
  /** On the button for that; absent: to cancel, then to close. */
  readonly closeTitle?: string;
}

/** The steps of an act: asks for a reason, shows what would be done, does it when that is confirmed, and follows it. */
export function ActForm<A>(steps: ActSteps<A>) {
  const { title, isDestructive, takesReason = true, fields, ask, isPossible, show, commandOf } = steps;
  const { followUp, refusal = (error) => <Refusal error={error} />, onDone, close, closeTitle } = steps;
  const id = useId();
  const [typed, setTyped] = useState("");
  const [name, setName] = useState(session.givenName);
  const [shown, setShown] = useState<A>();
  const [done, setDone] = useState<A>();
  const [error, setError] = useState<CallError>();
  const [isBusy, setIsBusy] = useState(false);
  const reason = typed.trim();
  const isFixed = shown !== undefined;

  const step = async () => {
    setIsBusy(true);
    setError(undefined);
    if (name !== undefined) session.giveName(name.trim());
    try {
      const answer = await ask({ reason, dryRun: !isFixed });
      if (isFixed) {
        setDone(answer);
        onDone?.(answer);
      } else setShown(answer);
    } catch (thrown) {
      if (!(thrown instanceof CallError)) throw thrown;
      setError(thrown);
    } finally {
      setIsBusy(false);
    }
  };
  const back = () => {
    setShown(undefined);
    setError(undefined);
  };

  // What a dry run showed is then no longer so.
  const isOutdated = error?.status === 412;
  const answer = isOutdated ? undefined : (done ?? shown);
  // What it shows is read before the next key or click does something.
  const box = useRef<HTMLDivElement>(null);
  useLayoutEffect(() => {
    if (answer !== undefined) box.current?.focus();
  }, [answer]);
  const mayBeDone = isFixed && done === undefined && !isOutdated;
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        void step();
      }}
    >
      {done === undefined ? (
        <div class="fields">
          {fields?.(isFixed)}
          {takesReason ? (
            <label for={id}>
              Reason, for the record
              <input
                id={id}
                required
                maxLength={500}
                value={typed}
                readOnly={isFixed}
                onInput={({ currentTarget }) => setTyped(currentTarget.value)}
              />
            </label>
          ) : null}
          {name === undefined ? null : (
            <label>
              Your name, for the record
              <input
                autocomplete="name"
                maxLength={100}
                value={name}
                readOnly={isFixed}
                onInput={({ currentTarget }) => setName(currentTarget.value)}
              />
            </label>
          )}
        </div>
      ) : null}
      {error === undefined ? null : refusal(error, back)}
      <div aria-live="polite">
        {answer === undefined ? null : (
          <div ref={box} class="answer" tabIndex={-1}>
            {show(answer)}
          </div>
        )}
      </div>
      {done === undefined ? null : followUp(done)}
      {mayBeDone ? (
        <p class="quiet">
          In a terminal: <code>{commandOf(reason)}</code>
        </p>
      ) : null}
      <div class="acts">
        {mayBeDone ? (
          <button
            type="submit"
            class={isDestructive === true ? "danger" : "main"}
            disabled={isBusy || !isPossible(shown)}
            // The second click of two is still about the dry run.
            onClick={(event) => event.detail > 1 && event.preventDefault()}
          >
            {title}
          </button>
        ) : isFixed ? null : (
          <button type="submit" disabled={isBusy}>
            Show what would be done
          </button>
        )}
        {isFixed && done === undefined ? (
          <button type="button" class="plain" disabled={isBusy} onClick={back}>
            Back
          </button>
        ) : null}
        {close === undefined ? null : (
          <button type="button" class="plain" onClick={close}>
            {closeTitle ?? (done === undefined ? "Cancel" : "Close")}
          </button>
        )}
      </div>
    </form>
  );
}
