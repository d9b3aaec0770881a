import type { ExplainAnswer } from "../../../shared/api/index.ts";
import { Prose } from "./prose.tsx";
import { Time } from "./state.tsx";
import { Table } from "./table.tsx";

type Explained = Pick<ExplainAnswer, "causes" | "refusals" | "planner">;

/** Why a job or a target waits, and what ends that. */
export function Causes({
  causes,
  title = "Why it waits",
}: Pick<Explained, "causes"> & { readonly title?: string }) {
  if (causes.length === 0) return null;
  return (
    <section>
      <h2>{title}</h2>
      <ul class="problems">
        {causes.map(({ kind, text, next, untilSeconds }, index) => (
          <li key={`${kind} ${index}`} class="problem degraded">
            <p>
              <Prose text={text} />
            </p>
            <p>
              <Prose text={next} />
              {untilSeconds === null ? null : (
                <>
                  {" "}
                  (<Time at={untilSeconds} />)
                </>
              )}
            </p>
          </li>
        ))}
      </ul>
    </section>
  );
}

/** Why not, bucket by bucket, and what the planner did about it. */
export function Refusals({ refusals, planner }: Omit<Explained, "causes">) {
  return (
    <>
      <section>
        <h2>Bucket by bucket</h2>
        <Table
          caption="Refusals"
          rows={refusals.map((refusal, index) => ({ ...refusal, index }))}
          keyOf={({ index }) => String(index)}
          none="No bucket refuses it."
          columns={[
            {
              title: "Bucket",
              cell: ({ bucket }) =>
                bucket === null
                  ? "cluster"
                  : `${bucket.nodeArray} ${bucket.vmSize} ${bucket.placementGroup ?? ""}`,
            },
            { title: "Why not", isLong: true, cell: ({ text }) => text },
          ]}
        />
      </section>
      <section>
        <h2>What the planner did</h2>
        <Table
          caption="Steps of the planner"
          rows={planner.map((step, index) => ({ ...step, index }))}
          keyOf={({ index }) => String(index)}
          none="Nothing yet."
          columns={[
            { title: "Time", cell: ({ atSeconds }) => <Time at={atSeconds} /> },
            { title: "What", isLong: true, cell: ({ text }) => text },
          ]}
        />
      </section>
    </>
  );
}
