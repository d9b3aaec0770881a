import type { ComponentType } from "preact";
import { useEffect, useErrorBoundary, useLayoutEffect, useReducer, useRef, useState } from "preact/hooks";
import { Announcer } from "./parts/announce.tsx";
import { TroubleBanner } from "./parts/trouble.tsx";
import { usePrinting } from "./parts/use-printing.ts";
import { linkTo, type Place, usePlace } from "./place.ts";
import { CallError, call } from "./service/call.ts";
import { readLogin, session } from "./service/session.ts";
import { SignIn } from "./sign-in.tsx";
import { Clusters } from "./views/clusters.tsx";
import { Config } from "./views/config.tsx";
import { Events } from "./views/events.tsx";
import { Jobs } from "./views/jobs.tsx";
import { Limits } from "./views/limits.tsx";
import { Money } from "./views/money.tsx";
import { Nodes } from "./views/nodes.tsx";
import { Operations } from "./views/operations.tsx";
import { Overview } from "./views/overview.tsx";
import { Plans } from "./views/plans.tsx";
import { Quote } from "./views/quote.tsx";
import { Rejects } from "./views/rejects.tsx";
import { Targets } from "./views/targets.tsx";
import { Week } from "./views/week.tsx";
import { localTime, utc } from "./words.ts";

const views: readonly {
  readonly view: string;
  readonly title: string;
  readonly show: ComponentType<{ readonly place: Place; readonly cluster: string }>;
}[] = [
  { view: "overview", title: "Overview", show: Overview },
  { view: "nodes", title: "Nodes", show: Nodes },
  { view: "week", title: "Week", show: Week },
  { view: "jobs", title: "Jobs", show: Jobs },
  { view: "quote", title: "Quote", show: Quote },
  { view: "targets", title: "Targets", show: Targets },
  { view: "limits", title: "Limits", show: Limits },
  { view: "money", title: "Money", show: Money },
  { view: "plans", title: "Plans", show: Plans },
  { view: "events", title: "Events", show: Events },
  { view: "operations", title: "Operations", show: Operations },
  { view: "rejects", title: "Rejects", show: Rejects },
  { view: "config", title: "Configuration", show: Config },
];

/** The whole page: signs in where that is needed, then shows what the address names. */
export function App() {
  const [, redraw] = useReducer((turn: number) => turn + 1, 0);
  // Who has signed in waits for the answers alone that a view needs.
  const [access, setAccess] = useState<"unknown" | "granted" | "refused">(
    session.credentials.kind === "none" ? "unknown" : "granted",
  );
  const [refusal, setRefusal] = useState<string>();
  const place = usePlace();
  useEffect(() => session.listen(() => redraw(0)), []);

  const enter = async () => {
    try {
      await call("clusters", { isTrial: session.credentials.kind === "key" });
      setAccess("granted");
    } catch (error) {
      if (!(error instanceof CallError)) throw error;
      const isLogin = error.status === 401 || error.status === 403;
      // A service that does not answer now is shown with its error, and asked again there.
      setAccess(isLogin ? "refused" : "granted");
      if (session.credentials.kind !== "none") setRefusal(error.message);
    }
  };
  useEffect(() => void enter(), [session.credentials]);

  if (access === "unknown") return <p class="quiet page">Asking the service…</p>;
  if (access === "refused") return <SignIn login={readLogin()} refusal={session.ended ?? refusal} />;
  return (
    <>
      {/* A link to a part of the page would be the address of another view. */}
      <button type="button" class="skip" onClick={() => document.getElementById("content")?.focus()}>
        Skip to content
      </button>
      <Header place={place} />
      <TroubleBanner />
      <Printed />
      <Content place={place} />
      <Announcer />
    </>
  );
}

/** On paper: of when it is. */
function Printed() {
  if (!usePrinting()) return null;
  const now = Date.now() / 1_000;
  return (
    <p class="page quiet">
      {location.origin}, printed {localTime(now)} ({utc(now)})
    </p>
  );
}

/** After a way from one view to another, keyboard and screen reader begin at what is new. */
function Content({ place }: { readonly place: Place }) {
  const content = useRef<HTMLElement>(null);
  const { cluster, view, subject } = place;
  const shown = [cluster, view, subject, place.options.cursor].join("/");
  const last = useRef(shown);
  // Before the next key is read.
  useLayoutEffect(() => {
    if (last.current === shown) return;
    last.current = shown;
    content.current?.focus({ preventScroll: true });
  }, [shown]);
  return (
    <main id="content" ref={content} tabIndex={-1} class="page">
      <View place={place} />
    </main>
  );
}

/** A view that cannot be drawn, such as one of an address with nonsense in it, leaves the rest of the page. */
function View({ place }: { readonly place: Place }) {
  const address = linkTo(place);
  const failedAt = useRef("");
  const [error, again] = useErrorBoundary((thrown: unknown) => {
    failedAt.current = address;
    console.error(thrown);
  });
  // Another address is another try.
  useEffect(() => {
    if (error !== undefined && failedAt.current !== address) again();
  }, [address, error]);
  if (error === undefined) return <Chosen place={place} />;
  return (
    <div role="alert" class="problem stopped">
      <p>This view cannot be shown: {error instanceof Error ? error.message : String(error)}</p>
      <button type="button" onClick={again}>
        Try again
      </button>
    </div>
  );
}

function Header({ place }: { readonly place: Place }) {
  const { cluster } = place;
  return (
    <header>
      <div class="page bar">
        <a class="home" href={linkTo({})}>
          CycleCloud autoscale
        </a>
        {cluster === undefined ? null : <strong class="cluster">{cluster}</strong>}
        {session.mayOperate ? null : <span class="quiet">Read-only</span>}
        {session.credentials.kind === "none" ? null : (
          <button type="button" class="plain" onClick={() => session.signOut()}>
            Sign out
          </button>
        )}
      </div>
      {cluster === undefined ? null : (
        <nav class="page" aria-label={`Views of ${cluster}`}>
          {views.map(({ view, title }) => (
            <a
              key={view}
              href={linkTo({ cluster, view })}
              aria-current={place.view === view ? "page" : undefined}
              ref={place.view === view ? intoView : null}
            >
              {title}
            </a>
          ))}
        </nav>
      )}
    </header>
  );
}

/** On a narrow screen the menu scrolls sideways. With the next frame: where it is, is known only once all is laid out. */
function intoView(link: HTMLElement | null): void {
  requestAnimationFrame(() => link?.scrollIntoView({ block: "nearest", inline: "nearest" }));
}

function Chosen({ place }: { readonly place: Place }) {
  const { cluster, view } = place;
  const chosen = views.find((each) => each.view === view);
  useEffect(() => {
    document.title = [chosen?.title, cluster, "CycleCloud autoscale"].filter(Boolean).join(" · ");
  }, [chosen, cluster]);
  if (cluster === undefined) return <Clusters place={place} />;
  if (chosen === undefined)
    return (
      <>
        <h1>{cluster}</h1>
        <p class="problem degraded">
          There is no view “{view}”. <a href={linkTo({ cluster })}>Overview of {cluster}</a>
        </p>
      </>
    );
  return <chosen.show key={cluster} place={place} cluster={cluster} />;
}
