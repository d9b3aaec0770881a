import type { ClusterStatus, TargetExplanation } from "../../../shared/api/index.ts";
import { Causes, Places, Refusals } from "../parts/explained.tsx";
import { AllOf } from "../parts/links.tsx";
import { Ago, Shown } from "../parts/state.tsx";
import { Steps } from "../parts/steps.tsx";
import { Table } from "../parts/table.tsx";
import { linkTo, type Place } from "../place.ts";
import { addressOf, pathOf } from "../service/call.ts";
import { usePolled } from "../service/polled.ts";
import { count, counted } from "../words.ts";

export function Targets({ place, cluster }: { readonly place: Place; readonly cluster: string }) {
  if (place.subject !== undefined)
    return <Explained place={place} cluster={cluster} target={place.subject} />;
  return <List cluster={cluster} />;
}

function List({ cluster }: { readonly cluster: string }) {
  const polled = usePolled<ClusterStatus>(pathOf("clusters", cluster, "status"));
  return (
    <>
      <h1>Targets</h1>
      <p class="quiet">
        Nodes that somebody asks for, whether jobs need them or not. What is not met comes first.
      </p>
      <Shown polled={polled}>
        {(status) => (
          <>
            <TargetTable status={status} targets={status.targets} />
            <h2>Who asks</h2>
            <Table
              caption="Request sets"
              rows={status.requestSets}
              rowKey={({ requestSet }) => requestSet}
              none="Nobody asks for targets."
              columns={[
                ["Request set", ({ requestSet }) => requestSet],
                ["Source", ({ source }) => source],
                ["Node arrays", ({ arrays }) => count(arrays), "number"],
                [
                  "Asked",
                  ({ lasting, receivedAtSeconds }) =>
                    lasting ? "at all times" : <Ago at={receivedAtSeconds} now={status.atSeconds} />,
                ],
                ["Expires", (set) => <Expiry {...set} now={status.atSeconds} />],
                ["State", (set) => stateOf(set, status.atSeconds)],
              ]}
            />
          </>
        )}
      </Shown>
    </>
  );
}

function stateOf(
  { expired, planned, receivedAtSeconds }: ClusterStatus["requestSets"][number],
  now: number,
): string {
  if (expired) return "expired: wants nothing";
  if (planned) return "planned";
  return receivedAtSeconds > now ? "begins later" : "waits for the next plan";
}

/** A schedule without a start asks anew each midnight, so that neither of its times says anything. */
function Expiry(set: { readonly expiresAtSeconds: number; readonly lasting: boolean; readonly now: number }) {
  return set.lasting ? <>never</> : <Ago at={set.expiresAtSeconds} now={set.now} />;
}

export function TargetTable(props: {
  readonly status: ClusterStatus;
  readonly targets: ClusterStatus["targets"];
}) {
  const { cluster, requestSets, atSeconds } = props.status;
  return (
    <Table
      caption="Targets of node arrays"
      rows={props.targets}
      rowKey={({ name, requestSet }) => `${requestSet} ${name}`}
      none="No target is planned with."
      columns={[
        [
          "Target",
          ({ name, requestSet }) => (
            <a href={linkTo({ cluster, view: "targets", subject: name, options: { requestSet } })}>{name}</a>
          ),
        ],
        ["Asked by", ({ requestSet }) => requestSet],
        ["Has", ({ granted, asked, unit }) => `${count(granted)} of ${count(asked)} ${unit}`, "number"],
        [
          "State",
          ({ granted, asked }) => (granted >= asked ? "met" : granted > 0 ? "met in part" : "not met"),
        ],
        ["Nodes", ({ nodes }) => count(nodes), "number"],
        ["Why not", ({ why }) => why.join(" ") || "–", "long"],
        [
          "Expires",
          ({ requestSet }) => {
            const set = requestSets.find((each) => each.requestSet === requestSet);
            return set === undefined ? "–" : <Expiry {...set} now={atSeconds} />;
          },
        ],
      ]}
    />
  );
}

function Explained(props: { readonly place: Place; readonly cluster: string; readonly target: string }) {
  const { place, cluster, target } = props;
  const { requestSet = "" } = place.options;
  const polled = usePolled<TargetExplanation>(
    addressOf(pathOf("clusters", cluster, "targets", target, "explain"), { requestSet }),
  );
  return (
    <>
      <AllOf cluster={cluster} view="targets" />
      <h1>Target {target}</h1>
      <Shown polled={polled}>{(answer) => <Explanation answer={answer} />}</Shown>
    </>
  );
}

function Explanation({ answer }: { readonly answer: TargetExplanation }) {
  const { headline, source, requestSet, receivedAtSeconds, atSeconds, nodes, nodeCount, groups } = answer;
  return (
    <>
      <p class="headline">{headline}</p>
      <p>
        Asked for by {source} in set {requestSet}{" "}
        {answer.lasting ? (
          "at all times"
        ) : (
          <>
            <Ago at={receivedAtSeconds} now={atSeconds} />, expires <Expiry {...answer} now={atSeconds} />
          </>
        )}
        .
      </p>
      {answer.spare === null ? null : <p>{answer.spare.text}</p>}
      <Causes causes={answer.causes} />
      <h2>{counted(nodeCount, "node")}</h2>
      <Places cluster={answer.cluster} caption="Nodes that count towards it" places={nodes} />
      {groups.length === 0 ? null : (
        <>
          <h2>Groups</h2>
          <Table
            caption="Groups"
            rows={groups}
            rowKey={({ id }) => id}
            columns={[
              ["Group", ({ id }) => id],
              ["VM size", ({ vmSize }) => vmSize],
              ["Nodes", (group) => count(group.nodes), "number"],
            ]}
          />
        </>
      )}
      <Refusals {...answer} />
      <section>
        <h2>What the planner did</h2>
        <Steps
          caption="Steps of the planner"
          steps={answer.planner.map(({ atSeconds: at, text }) => ({ at, text }))}
        />
      </section>
    </>
  );
}
