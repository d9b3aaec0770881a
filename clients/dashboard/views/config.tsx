import type { ClusterStatus, ConfigAnswer, ConfigVersionsAnswer } from "../../../shared/api/index.ts";
import { exactDuration } from "../../../shared/text/durations.ts";
import { isSame } from "../../../shared/text/redact.ts";
import { Ago, Shown } from "../parts/state.tsx";
import { Table } from "../parts/table.tsx";
import { choose, linkTo, type Place } from "../place.ts";
import { pathOf } from "../service/call.ts";
import { usePolled } from "../service/polled.ts";
import { session } from "../service/session.ts";
import { Diff } from "../text/diff-view.tsx";
import { lineOf, linesIn } from "../text/json-text.ts";
import { Source } from "../text/source.tsx";
import { localTime } from "../words.ts";
import { ConfigEditor } from "./config-editor.tsx";
import { SupportArchive } from "./support-archive.tsx";

type Version = ConfigVersionsAnswer["versions"][number];

export function Config({ place, cluster }: { readonly place: Place; readonly cluster: string }) {
  if (place.subject === "edit") return <ConfigEditor place={place} cluster={cluster} />;
  return <Look place={place} cluster={cluster} />;
}

function Look({ place, cluster }: { readonly place: Place; readonly cluster: string }) {
  const stored = usePolled<ConfigAnswer>(pathOf("clusters", cluster, "config"));
  const versions = usePolled<ConfigVersionsAnswer>(
    `${pathOf("clusters", cluster, "config", "versions")}?limit=100`,
  );
  return (
    <>
      <h1>Configuration</h1>
      <Shown polled={stored}>
        {(answer) => <Stored answer={answer} cluster={cluster} newest={versions.answer?.versions[0]} />}
      </Shown>
      {stored.error?.status === 404 ? null : (
        <section>
          <h2>Versions</h2>
          <Shown polled={versions}>
            {(answer) => (
              <>
                <Compared place={place} cluster={cluster} versions={answer.versions} stored={stored.answer} />
                <Versions place={place} cluster={cluster} answer={answer} />
              </>
            )}
          </Shown>
        </section>
      )}
      {session.mayOperate && stored.error?.status !== 404 ? <SupportArchive cluster={cluster} /> : null}
    </>
  );
}

/** The values in force of what the configuration leaves to the service. */
function IdleTimeouts({ cluster }: { readonly cluster: string }) {
  const { answer: status } = usePolled<ClusterStatus>(pathOf("clusters", cluster, "status"));
  return status?.idleTimeouts.map(({ nodeArray, seconds, why }) => (
    <p key={nodeArray}>
      Idle nodes of {nodeArray} go after {exactDuration(seconds)}: {why}.
    </p>
  ));
}

function Stored({
  answer: { config, problems, warnings, atSeconds },
  newest,
  cluster,
}: {
  readonly answer: ConfigAnswer;
  readonly newest: Version | undefined;
  readonly cluster: string;
}) {
  const same = useVersion(cluster, newest?.version).config;
  const text = JSON.stringify(config, null, 2);
  const lines = linesIn(text);
  const linesOf = (sentences: readonly string[]) =>
    sentences.map((sentence) => lineOf(sentence, lines)).filter((line) => line !== undefined);
  const isOther = same !== undefined && config !== null && !isSame(same, config);
  return (
    <>
      {newest === undefined ? null : (
        <p>
          {isOther ? (
            <>
              What is stored is not version {newest.version}: it was changed in the storage account.{" "}
              <a
                href={linkTo({
                  cluster,
                  view: "config",
                  options: { from: String(newest.version), to: "now" },
                })}
              >
                What differs
              </a>
            </>
          ) : (
            <>
              Version {newest.version}, stored <Ago at={newest.changedAtSeconds} now={atSeconds} /> by{" "}
              {newest.by ?? "somebody unknown"}: {newest.reason}
            </>
          )}
        </p>
      )}
      {[
        ["stopped", "The service cannot use it", problems] as const,
        ["degraded", "It can be used, and this is odd", warnings] as const,
      ].map(([gravity, title, sentences]) =>
        sentences.length === 0 ? null : (
          <div key={gravity} class={`problem ${gravity}`}>
            <p>
              <strong>{title}.</strong>
            </p>
            <ul>
              {sentences.map((sentence) => (
                <li key={sentence}>{sentence}</li>
              ))}
            </ul>
          </div>
        ),
      )}
      {text.includes('"auto"') ? <IdleTimeouts cluster={cluster} /> : null}
      {config === null ? null : (
        <Source
          label="Stored configuration"
          text={text}
          marked={new Set([...linesOf(problems), ...linesOf(warnings)])}
        />
      )}
      {session.mayOperate ? (
        <p class="acts">
          <a class="button" href={linkTo({ cluster, view: "config", subject: "edit" })}>
            Change
          </a>
        </p>
      ) : null}
    </>
  );
}

/** The configuration of a version; undefined where there is none, or until it is known. */
function useVersion(
  cluster: string,
  version: number | string | undefined,
): { readonly isKnown: boolean; readonly config: unknown } {
  const { answer } = usePolled<ConfigVersionsAnswer>(
    version === undefined ? null : `${pathOf("clusters", cluster, "config", "versions")}?version=${version}`,
  );
  return {
    isKnown: version === undefined || answer !== undefined,
    config: answer?.versions[0]?.config ?? undefined,
  };
}

/** What stands in the address for what is stored now. */
const now = "now";

/** Two versions that the viewer chooses, and what they do not have alike. */
function Compared(props: {
  readonly place: Place;
  readonly cluster: string;
  readonly versions: readonly Version[];
  readonly stored: ConfigAnswer | undefined;
}) {
  const { place, cluster, versions, stored } = props;
  const { from = "", to = now } = place.options;
  const numbered = (which: string) => (/^\d+$/.test(which) ? which : undefined);
  const kept = { from: useVersion(cluster, numbered(from)), to: useVersion(cluster, numbered(to)) };
  const current = stored?.config ?? undefined;
  const before = from === now ? current : kept.from.config;
  const after = to === now ? current : kept.to.config;
  if (versions.length === 0) return null;
  const choice = (name: "from" | "to", title: string, chosen: string) => (
    <label class="long">
      {title}
      <select value={chosen} onChange={({ currentTarget }) => choose(place, { [name]: currentTarget.value })}>
        {name === "from" ? <option value="">Choose a version</option> : null}
        <option value={now}>Stored now</option>
        {versions.map(({ version, changedAtSeconds, by }) => (
          <option key={version} value={String(version)}>
            {version}, {localTime(changedAtSeconds)}, {by ?? "unknown"}
          </option>
        ))}
      </select>
    </label>
  );
  return (
    <>
      <div class="filter">
        {choice("from", "Compare", from)}
        {choice("to", "with", to)}
      </div>
      <div aria-live="polite">
        {from === "" || !kept.from.isKnown || !kept.to.isKnown ? null : before === undefined ||
          after === undefined ? (
          <p class="quiet">One of these versions is not kept.</p>
        ) : (
          <Diff label="What differs" before={before} after={after} />
        )}
      </div>
    </>
  );
}

function Versions(props: {
  readonly place: Place;
  readonly cluster: string;
  readonly answer: ConfigVersionsAnswer;
}) {
  const { cluster, answer } = props;
  const link = (title: string, place: Partial<Place>) => (
    <a href={linkTo({ cluster, view: "config", ...place })}>{title}</a>
  );
  return (
    <Table
      caption="Versions, newest first"
      rows={answer.versions}
      rowKey={({ version }) => String(version)}
      none="Nobody has changed the configuration through the service yet."
      columns={[
        ["Version", ({ version }) => version, "number"],
        ["Stored", ({ changedAtSeconds }) => <Ago at={changedAtSeconds} now={answer.atSeconds} />],
        ["By", ({ by }) => by ?? "unknown"],
        ["Why", ({ reason }) => reason, "long"],
        ["Changes", ({ changes }) => changes.map((change) => <div key={change}>{change}</div>)],
        [
          "More",
          ({ version }) => {
            const before = answer.versions.find((each) => each.version < version);
            return (
              <>
                {before === undefined
                  ? null
                  : link("What it changed", {
                      options: { from: String(before.version), to: String(version) },
                    })}{" "}
                {session.mayOperate
                  ? link("Store it again", { subject: "edit", options: { version: String(version) } })
                  : null}
              </>
            );
          },
          "long",
        ],
      ]}
    />
  );
}
