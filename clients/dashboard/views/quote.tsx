import type { QuoteAnswer, QuoteAsked, QuotedWay } from "../../../shared/api/index.ts";
import { AskingForm } from "../parts/asking-form.tsx";
import { Time } from "../parts/state.tsx";
import { Table } from "../parts/table.tsx";
import type { Place } from "../place.ts";
import { pathOf } from "../service/call.ts";
import { count, counted, duration, usd } from "../words.ts";
import { fieldsOf, fieldsOfSbatch, jobOf, type QuoteFields, quoteCommand, quoteIn } from "./quote-request.ts";

/** What a job would cost before it is submitted, and when it is done. The address has what was asked. */
export function Quote({ place, cluster }: { readonly place: Place; readonly cluster: string }) {
  const asked = quoteIn(place.options.try);
  return (
    <>
      <h1>What would a job cost?</h1>
      <AskingForm<QuoteAsked, QuoteAnswer>
        place={place}
        path={pathOf("clusters", cluster, "quote")}
        asked={asked}
        fields={<Fields key={place.options.try} asked={asked} />}
        read={bodyOf}
        button="Quote"
        command={(each) => quoteCommand(cluster, each)}
      >
        {(answer) => <Ways answer={answer} />}
      </AskingForm>
    </>
  );
}

/** Throws SyntaxError, with what is wrong in words. */
function bodyOf(form: FormData): QuoteAsked {
  const of = (name: keyof QuoteFields | "sbatch" | "by") => String(form.get(name) ?? "").trim();
  const by = of("by");
  const fields: QuoteFields =
    of("sbatch") !== ""
      ? fieldsOfSbatch(of("sbatch"))
      : {
          count: of("count"),
          unit: of("unit") === "nodes" ? "nodes" : "slots",
          cpus: of("cpus"),
          memoryGb: of("memoryGb"),
          gpus: of("gpus"),
          runTime: of("runTime"),
          nodeArray: of("nodeArray"),
        };
  return { jobs: [jobOf(fields)], ...(by === "" ? {} : { bySeconds: Date.parse(by) / 1_000 }) };
}

function Fields({ asked }: { readonly asked: QuoteAsked | undefined }) {
  const fields = fieldsOf(asked?.jobs[0] ?? { constraints: { ncpus: 4 }, runtimeSeconds: 3_600 });
  return (
    <>
      <div class="filter">
        <label>
          How many
          <input type="number" name="count" min={1} required defaultValue={fields.count} />
        </label>
        <label>
          Of what
          <select name="unit" defaultValue={fields.unit}>
            <option value="slots">slots</option>
            <option value="nodes">nodes at once</option>
          </select>
        </label>
        {(
          [
            ["cpus", "CPUs each"],
            ["memoryGb", "Memory each, GiB"],
            ["gpus", "GPUs each"],
          ] as const
        ).map(([name, title]) => (
          <label key={name}>
            {title}
            <input type="number" name={name} min={0} step="any" defaultValue={fields[name]} />
          </label>
        ))}
        <label>
          Run time
          <input name="runTime" placeholder="unknown" defaultValue={fields.runTime} />
        </label>
        <label>
          Node array
          <input name="nodeArray" placeholder="any" defaultValue={fields.nodeArray} />
        </label>
        <label>
          Done by
          <input type="datetime-local" name="by" defaultValue={localMinutes(asked?.bySeconds)} />
        </label>
      </div>
      <label>
        Or a line of sbatch, instead of all of these but “done by”
        <input
          name="sbatch"
          placeholder="sbatch -p htc -n 64 -t 4:00:00"
          spellcheck={false}
          autocapitalize="off"
        />
      </label>
    </>
  );
}

/** As an input of a local time takes it. */
function localMinutes(seconds: number | undefined): string {
  if (seconds === undefined) return "";
  const minutesFromUtc = new Date(seconds * 1_000).getTimezoneOffset();
  const local = new Date((seconds - minutesFromUtc * 60) * 1_000);
  return local.toISOString().slice(0, 16);
}

/** The recommended one first. */
function Ways({ answer: { ways, reason, atSeconds } }: { readonly answer: QuoteAnswer }) {
  const [first] = ways;
  return (
    <>
      <p class={`problem ${first === undefined || first.usd === null ? "degraded" : "fine"}`}>
        <strong>{reason}</strong>
      </p>
      <Table
        caption="Ways to have it"
        rows={ways}
        rowKey={(way) => JSON.stringify(way)}
        none="There is no way to have it in time."
        columns={[
          ["Way", ({ kind }) => wayWords[kind]],
          ["Nodes", nodesOf, "long"],
          ["Cost", (way) => usd(way.usd), "number"],
          ["Starts in", (way) => inFrom(way.startsAtSeconds, atSeconds), "number"],
          ["Done by", (way) => (way.doneAtSeconds === null ? "unknown" : <Time at={way.doneAtSeconds} />)],
        ]}
      />
    </>
  );
}

const wayWords: Readonly<Record<QuotedWay["kind"], string>> = {
  planned: "as it is",
  "other-size": "other size",
  wait: "wait",
};

function inFrom(seconds: number | null, nowSeconds: number): string {
  return seconds === null ? "unknown" : duration(seconds - nowSeconds);
}

function nodesOf({ nodes, newNodes, vmSizes, nodeArrays, spot, waiting }: QuotedWay): string {
  if (nodes === 0) return "none";
  const parts = [
    `${count(nodes)} × ${vmSizes.join(", ")} in ${nodeArrays.join(", ")}`,
    newNodes > 0 && (newNodes === nodes ? "new" : `${count(newNodes)} of them new`),
    spot && "spot",
    waiting > 0 && `${counted(waiting, "job")} would wait`,
  ];
  return parts.filter(Boolean).join("; ");
}
