import type { PlanChange, PlanDifferenceAnswer } from "../../../shared/api/index.ts";
import { commandLine } from "../act/command-line.ts";
import { AllOf } from "../parts/links.tsx";
import { planColumns } from "../parts/plan-columns.tsx";
import { Shown, Time } from "../parts/state.tsx";
import { Table } from "../parts/table.tsx";
import { linkTo } from "../place.ts";
import { addressOf, pathOf } from "../service/call.ts";
import { usePolled } from "../service/polled.ts";
import { count } from "../words.ts";

/** What was decided first, then what that was made from. */
const kinds: readonly { readonly about: PlanChange["about"]; readonly title: string }[] = [
  { about: "create", title: "New nodes" },
  { about: "start", title: "Nodes that are started" },
  { about: "retire", title: "Nodes that go" },
  { about: "waiting", title: "Jobs that wait" },
  { about: "setting", title: "Settings" },
  { about: "cap", title: "Caps" },
  { about: "limit", title: "Limits" },
  { about: "target", title: "Targets" },
  { about: "node", title: "Nodes that there were" },
  { about: "job", title: "Jobs that there were" },
];

/** What the second of two plans decided otherwise, and from what. */
export function PlanDifference(props: {
  readonly cluster: string;
  readonly before: string;
  readonly after: string;
}) {
  const { cluster, before, after } = props;
  // Two archived plans stay as they are, and so does their difference.
  const polled = usePolled<PlanDifferenceAnswer>(
    addressOf(pathOf("clusters", cluster, "plans", after, "difference"), { before }),
    { everyMs: 600_000 },
  );
  return (
    <>
      <AllOf cluster={cluster} view="plans" />
      <h1>Two plans</h1>
      <Shown polled={polled}>{(answer) => <Differences answer={answer} />}</Shown>
      <p class="quiet">
        In a terminal:{" "}
        <code>{commandLine(["ccscale", "plans", "diff", before, after, "--cluster", cluster])}</code>
      </p>
    </>
  );
}

function Differences({ answer }: { readonly answer: PlanDifferenceAnswer }) {
  const { cluster, changes, counts, reason } = answer;
  return (
    <>
      <Table
        caption="The two plans"
        rows={[answer.before, answer.after]}
        rowKey={({ planId }) => planId}
        columns={[
          [
            "Plan",
            ({ planId }) => (
              <a class="name plan" href={linkTo({ cluster, view: "plans", subject: planId })}>
                {planId}
              </a>
            ),
          ],
          ["Made", ({ atSeconds }) => <Time at={atSeconds} />],
          ...planColumns,
        ]}
      />
      {reason === null ? null : <p class="problem degraded">They cannot be compared: {reason}.</p>}
      {reason === null && changes.length === 0 ? <p>Nothing differs.</p> : null}
      {kinds.map(({ about, title }) => {
        const there = changes.filter((change) => change.about === about);
        const all = counts[about] ?? 0;
        return there.length === 0 ? null : (
          <section key={about}>
            <h2>
              {title}: {count(all)}
            </h2>
            <Table
              caption={title}
              rows={there}
              rowKey={({ name }) => name}
              columns={[
                ["Which", ({ name }) => name, "long"],
                ["Before", ({ before }) => shortened(before)],
                ["After", ({ after }) => shortened(after)],
              ]}
            />
            {all > there.length ? <p class="quiet">The first {count(there.length)} are shown.</p> : null}
          </section>
        );
      })}
    </>
  );
}

/** Sums are of many decimals. */
function shortened(text: string | null): string {
  if (text === null) return "–";
  const value = Number(text);
  return text.trim() === "" || !Number.isFinite(value) || Number.isInteger(value)
    ? text
    : value.toLocaleString("en", { maximumFractionDigits: 2 });
}
