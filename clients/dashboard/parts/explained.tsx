import type { ExplainAnswer } from "../../../shared/api/index.ts";
import { count } from "../words.ts";
import { Breakable } from "./breakable.tsx";
import { NodeLink } from "./links.tsx";
import { Prose } from "./prose.tsx";
import { Time } from "./state.tsx";
import { type ColumnOf, Table } from "./table.tsx";

type Explained = Pick<ExplainAnswer, "causes" | "refusals">;

export function Causes(props: Pick<Explained, "causes"> & { readonly title?: string }) {
  const { causes, title = "Why it waits" } = props;
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

/** Buckets that refuse it for the same are one row. A text begins with the name of its bucket. */
function byReason(refusals: Explained["refusals"]): ReadonlyMap<string, readonly string[]> {
  const namesByReason = new Map<string, string[]>();
  for (const { bucket, text } of refusals) {
    const { nodeArray, vmSize, placementGroup } = bucket ?? {};
    const name = [nodeArray, vmSize, placementGroup].filter((part) => part != null).join("/") || "cluster";
    const reason = text.startsWith(`${name}: `) ? text.slice(name.length + 2) : text;
    const names = namesByReason.get(reason) ?? [];
    if (!names.includes(name)) names.push(name);
    namesByReason.set(reason, names);
  }
  return namesByReason;
}

type Place = Omit<ExplainAnswer["places"][number], "slots"> & { readonly slots?: number };

/** Nodes that a job has places on, or that count towards a target. */
export function Places(props: {
  readonly cluster: string;
  readonly caption: string;
  readonly places: readonly Place[];
}) {
  const slots: ColumnOf<Place> = ["Slots", (place) => count(place.slots ?? 0), "number"];
  return (
    <Table
      caption={props.caption}
      rows={props.places}
      rowKey={({ node }) => node}
      none="It has none."
      columns={[
        ["Node", ({ node }) => <NodeLink cluster={props.cluster} name={node} />],
        ...(props.places[0]?.slots === undefined ? [] : [slots]),
        ["State", ({ state, origin }) => state ?? origin],
        ["Expected ready", ({ expectedReadySeconds: at }) => (at === null ? "–" : <Time at={at} />)],
      ]}
    />
  );
}

export function Refusals({ refusals }: Pick<Explained, "refusals">) {
  return (
    <section>
      <h2>Bucket by bucket</h2>
      <Table
        caption="Refusals"
        rows={[...byReason(refusals)]}
        rowKey={([text]) => text}
        none="No bucket refuses it."
        columns={[
          [
            "Bucket",
            ([, names]) =>
              names.map((name) => (
                <div key={name}>
                  <Breakable name={name} />
                </div>
              )),
            "long",
          ],
          ["Why not", ([text]) => text, "long"],
        ]}
      />
    </section>
  );
}
