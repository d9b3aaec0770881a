import { useEffect, useRef, useState } from "preact/hooks";
import type {
  ClusterStatus,
  ConfigAnswer,
  ConfigChanged,
  ConfigVersionsAnswer,
} from "../../../shared/api/index.ts";
import { type Config, readSetting, withoutValue, withValue } from "../../../shared/json/config-path.ts";
import { isDictionary, parseJson } from "../../../shared/json/json.ts";
import { isSame, redacted } from "../../../shared/text/redact.ts";
import { ActForm } from "../act/act-form.tsx";
import { commandLine } from "../act/command-line.ts";
import { Refusal } from "../parts/refusal.tsx";
import { Time } from "../parts/state.tsx";
import { linkTo, type Place } from "../place.ts";
import { CallError, call, pathOf } from "../service/call.ts";
import { usePolled } from "../service/polled.ts";
import { session } from "../service/session.ts";
import { changesOf, merged } from "../text/config-changes.ts";
import { Diff } from "../text/diff-view.tsx";
import { Editor, ToLine } from "../text/editor.tsx";
import { linesIn, whyNoJson } from "../text/json-text.ts";

interface Draft {
  /** What was stored when the change began, and its ETag. */
  readonly base: Config;
  readonly etag: string;
  readonly beganAtSeconds: number;
  readonly text: string;
  /** As it was at first: another text is the viewer's work. */
  readonly first: string;
  /** The conflicting change of another user. */
  readonly conflicts?: readonly string[];
}

/** Drafts stay while other views are looked at, until the page is reloaded or the viewer signs out. */
const drafts = new Map<string, Draft>();

session.listen(() => drafts.clear());

/** Changes the configuration, or stores an earlier version again: checks it, shows what would come of it, stores it. */
export function ConfigEditor({ place, cluster }: { readonly place: Place; readonly cluster: string }) {
  const { version } = place.options;
  const key = `${cluster} ${version}`;
  const [, redraw] = useState(0);
  const [error, setError] = useState<CallError>();
  const draft = drafts.get(key);
  const keep = (next: Draft | undefined) => {
    if (next === undefined) drafts.delete(key);
    else drafts.set(key, next);
    redraw((turn) => turn + 1);
  };
  useEffect(
    () => () => {
      const left = drafts.get(key);
      // Unchanged: next time it begins with what is stored then.
      if (left?.text === left?.first) drafts.delete(key);
    },
    [key],
  );
  useEffect(() => {
    if (drafts.has(key) || !session.mayOperate) return;
    setError(undefined);
    begin(cluster, version).then(keep, (thrown: unknown) => {
      if (!(thrown instanceof CallError)) throw thrown;
      setError(thrown);
    });
  }, [key, draft === undefined]);
  const isChanged = draft !== undefined && draft.text !== draft.first;
  useEffect(() => {
    if (!isChanged) return undefined;
    const stay = (event: Event) => event.preventDefault();
    addEventListener("beforeunload", stay);
    return () => removeEventListener("beforeunload", stay);
  }, [isChanged]);
  return (
    <>
      <p>
        <a href={linkTo({ cluster, view: "config" })}>Configuration and its versions</a>
      </p>
      <h1>{version === undefined ? "Change the configuration" : `Store version ${version} again`}</h1>
      {session.mayOperate ? null : <p>You may read the configuration, and not change it.</p>}
      {error === undefined ? null : <Refusal error={error} />}
      {draft === undefined ? null : (
        <Form
          cluster={cluster}
          version={version}
          draft={draft}
          keep={keep}
          startOver={isChanged ? () => keep(undefined) : undefined}
        />
      )}
    </>
  );
}

async function begin(cluster: string, version: string | undefined): Promise<Draft> {
  const path = pathOf("clusters", cluster, "config");
  const stored = await call<ConfigAnswer>(path);
  const { config, etag = "", atSeconds: beganAtSeconds = 0 } = stored.answer ?? {};
  let text = config ?? {};
  if (version !== undefined) {
    const { answer } = await call<ConfigVersionsAnswer>(`${path}/versions`, { query: { version } });
    const kept = answer?.versions[0]?.config;
    if (!kept) throw new CallError({ title: `Version ${version} is not kept` });
    text = kept;
  }
  const first = JSON.stringify(text, null, 2);
  return { base: config ?? {}, etag, beganAtSeconds, text: first, first };
}

/** The draft as an object. Throws CallError if it is not one, or has `***` in the place of a secret. */
function read(text: string): Config {
  const refuse = (problem: string) =>
    new CallError({ title: "This configuration cannot be used", problems: [problem] });
  const why = whyNoJson(text);
  if (why !== undefined) throw refuse(why);
  const json = parseJson(text);
  if (!isDictionary(json)) throw refuse("It is no JSON object");
  const before = text.split(JSON.stringify(redacted));
  if (before.length === 1) return json;
  const line = (before[0] ?? "").split("\n").length;
  throw refuse(
    `line ${line} column 1: ${redacted} stands for a secret, which is never shown. Remove it, and put what the service needs into an app setting`,
  );
}

function Form(props: {
  readonly cluster: string;
  readonly version: string | undefined;
  readonly draft: Draft;
  readonly keep: (draft: Draft | undefined) => void;
  /** Undefined: nothing was changed. */
  readonly startOver: (() => void) | undefined;
}) {
  const { cluster, version, draft, keep, startOver } = props;
  const { base, etag, text, first, conflicts = [] } = draft;
  const box = useRef<HTMLTextAreaElement>(null);
  const path = pathOf("clusters", cluster, "config");
  return (
    <ActForm<ConfigChanged>
      title="Store the configuration"
      fields={(isFixed) => (
        <>
          <OneValue text={text} isFixed={isFixed} onText={(next) => keep({ ...draft, text: next })} />
          {conflicts.length === 0 ? null : (
            <p class="problem degraded">
              Changed by both, and yours is kept: {conflicts.join(", ")}. See that this is right.
            </p>
          )}
          <Editor
            label="Configuration, as JSON"
            box={box}
            text={text}
            isFixed={isFixed}
            onText={(next) => keep({ ...draft, text: next })}
          />
        </>
      )}
      ask={async ({ reason, dryRun }) => {
        const { answer } = await call<ConfigChanged>(path, {
          method: "PUT",
          body: { config: read(text), by: session.name, reason, dryRun },
          headers: { "if-match": etag },
        });
        return answer as ConfigChanged;
      }}
      isPossible={({ outcome }) => outcome === "would"}
      show={({ summary, warnings, effects, outcome }) => (
        <>
          <p>
            <strong>{summary}</strong>
          </p>
          {outcome === "would" ? <Diff label="What would change" before={base} after={read(text)} /> : null}
          {[...warnings, ...effects].map((sentence) => (
            <p key={sentence}>{sentence}</p>
          ))}
          {outcome === "would" && effects.length === 0 ? (
            <p class="quiet">What the next plan would make of it cannot be foreseen.</p>
          ) : null}
        </>
      )}
      commandOf={(reason) => {
        const command = commandFor(base, read(text), text === first ? version : undefined);
        return commandLine(["ccscale", "config", ...command, "--cluster", cluster, "--reason", reason]);
      }}
      followUp={(answer) => <Effect cluster={cluster} answer={answer} />}
      onDone={() => {
        // The text stays on the page, and is no work to be lost.
        keep({ ...draft, first: text });
      }}
      refusal={(error, back) => {
        const own = { lines: linesIn(text), text, box };
        if (error.status !== 412)
          return <Refusal error={error} before={(problem) => <ToLine problem={problem} {...own} />} />;
        return (
          <ChangedMeanwhile
            cluster={cluster}
            draft={draft}
            onTaken={(next) => {
              keep(next);
              back();
            }}
          />
        );
      }}
      {...(startOver === undefined ? {} : { close: startOver, closeTitle: "Start over" })}
    />
  );
}

function commandFor(base: Config, next: Config, version: string | undefined): readonly string[] {
  if (version !== undefined) return ["rollback", version];
  const changes = changesOf(base, next);
  const [change] = changes;
  // Keys with dots cannot be named there.
  if (changes.length !== 1 || change === undefined || change.keys.some((key) => key.includes(".")))
    return ["push", "autoscale.json"];
  const path = change.keys.join(".");
  return change.value === undefined ? ["unset", path] : ["set", path, JSON.stringify(change.value)];
}

function OneValue(props: {
  readonly text: string;
  readonly isFixed: boolean;
  readonly onText: (text: string) => void;
}) {
  const { text, isFixed, onText } = props;
  const [path, setPath] = useState("");
  const [value, setValue] = useState("");
  const config = readSetting(text);
  const isReady = isDictionary(config) && path.trim() !== "";
  const put = (make: (config: Config) => Config) => {
    if (isReady) onText(JSON.stringify(make(config), null, 2));
  };
  const set = () => put((before) => withValue(before, path.trim(), readSetting(value)) ?? before);
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key !== "Enter") return;
    // It is not what the form is for.
    event.preventDefault();
    set();
  };
  return (
    <fieldset class="filter" disabled={isFixed}>
      <legend>Set one value</legend>
      <label class="long">
        Key
        <input
          placeholder="idle_timeout.htc"
          spellcheck={false}
          autocapitalize="off"
          value={path}
          onInput={({ currentTarget }) => setPath(currentTarget.value)}
          onKeyDown={onKeyDown}
        />
      </label>
      <label class="long">
        Value, as JSON or text
        <input
          placeholder="600"
          spellcheck={false}
          autocapitalize="off"
          value={value}
          onInput={({ currentTarget }) => setValue(currentTarget.value)}
          onKeyDown={onKeyDown}
        />
      </label>
      <button type="button" disabled={!isReady || value === ""} onClick={set}>
        Set
      </button>
      <button
        type="button"
        disabled={!isReady}
        onClick={() => put((before) => withoutValue(before, path.trim()))}
      >
        Remove
      </button>
    </fieldset>
  );
}

/** Somebody else stored a change meanwhile: shows who and what, and merges both changes. */
function ChangedMeanwhile(props: {
  readonly cluster: string;
  readonly draft: Draft;
  readonly onTaken: (draft: Draft) => void;
}) {
  const { cluster, draft, onTaken } = props;
  const path = pathOf("clusters", cluster, "config");
  const stored = usePolled<ConfigAnswer>(path).answer;
  const newest = usePolled<ConfigVersionsAnswer>(`${path}/versions?limit=1`).answer?.versions[0];
  // After a dry run that was refused, the text can still be changed: while it is typed, it is often no JSON.
  const mine = readSetting(draft.text);
  const take = ({ config, etag, atSeconds: beganAtSeconds }: ConfigAnswer) => {
    const conflicts: string[] = [];
    const text = JSON.stringify(merged(draft.base, { mine, theirs: config ?? {} }, conflicts), null, 2);
    onTaken({ ...draft, base: config ?? {}, etag, beganAtSeconds, text, conflicts });
  };
  const isNews = stored !== undefined && stored.etag !== draft.etag;
  // An answer that was lost on its way is no refusal.
  if (isNews && isSame(stored.config, mine))
    return (
      <p role="alert" class="problem fine">
        What is stored now is what you wanted. <a href={linkTo({ cluster, view: "config" })}>Configuration</a>
      </p>
    );
  return (
    <div role="alert" class="problem degraded">
      <p>Somebody else stored another configuration since you began. Nothing of yours is lost.</p>
      {newest === undefined || newest.changedAtSeconds < draft.beganAtSeconds ? null : (
        <p>
          Version {newest.version} by {newest.by ?? "somebody unknown"}: {newest.reason}
        </p>
      )}
      {isNews ? <Diff label="What they changed" before={draft.base} after={stored.config} /> : null}
      <button type="button" disabled={!isNews || !isDictionary(mine)} onClick={() => isNews && take(stored)}>
        Take their change in, and keep mine
      </button>
    </div>
  );
}

/** What was stored counts from the next snapshot on. */
function Effect({ cluster, answer }: { readonly cluster: string; readonly answer: ConfigChanged }) {
  const { answer: status } = usePolled<ClusterStatus>(pathOf("clusters", cluster, "status"));
  const taken = status?.snapshot?.takenAtSeconds;
  const broken = status?.problems.find(({ kind }) => kind === "configuration");
  return (
    <p aria-live="polite">
      {broken !== undefined ? (
        broken.text
      ) : taken === undefined || taken <= answer.atSeconds ? (
        "Waiting for the next snapshot…"
      ) : (
        <>
          In effect since the snapshot of <Time at={taken} />.
        </>
      )}{" "}
      <a href={linkTo({ cluster, view: "config" })}>Configuration and its versions</a>
    </p>
  );
}
