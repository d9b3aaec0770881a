import { useState } from "preact/hooks";
import type { PlanArchiveAnswer, PlansAnswer, SupportAnswer } from "../../../shared/api/index.ts";
import { commandLine } from "../act/command-line.ts";
import { Refusal } from "../parts/refusal.tsx";
import { saveFile } from "../parts/save-file.ts";
import { CallError, call, pathOf } from "../service/call.ts";

/** Packs what `ccscale support-archive` packs, in the browser. */
export function SupportArchive({ cluster }: { readonly cluster: string }) {
  const [part, setPart] = useState<string>();
  const [error, setError] = useState<CallError>();
  const pack = async () => {
    setError(undefined);
    setPart("");
    try {
      await save(cluster, setPart);
    } catch (thrown) {
      if (!(thrown instanceof CallError)) throw thrown;
      setError(thrown);
    } finally {
      setPart(undefined);
    }
  };
  return (
    <section>
      <h2>Support archive</h2>
      <p>
        Configuration, snapshot, demand, plans, operations and rejects of this cluster in one file, without
        secrets, for whoever helps. In a terminal:{" "}
        <code>{commandLine(["ccscale", "support-archive", "--cluster", cluster])}</code>
      </p>
      {error === undefined ? null : <Refusal error={error} />}
      <div class="acts">
        <button type="button" disabled={part !== undefined} onClick={() => void pack()}>
          Download it
        </button>
        <span class="quiet">{part === undefined ? "" : `Packing ${part}`}</span>
      </div>
    </section>
  );
}

async function save(cluster: string, onPart: (part: string) => void): Promise<void> {
  // Only who wants it loads it.
  const { archiveName, collect, toZip, usualAmounts } = await import("../../archive/pack.ts");
  const ask = async <T,>(parts: readonly string[], limit?: number): Promise<T> => {
    const query = limit === undefined ? {} : { limit: String(limit) };
    const { answer } = await call<T>(pathOf("clusters", cluster, ...parts), { query });
    if (answer === undefined) throw new CallError({ title: "The service did not send it" });
    return answer;
  };
  const files = await collect(
    {
      cluster,
      part: (part, limit) => ask<SupportAnswer>(["support", part], limit),
      plans: (limit) => ask<PlansAnswer>(["plans"], limit),
      plan: (planId) => ask<PlanArchiveAnswer>(["plans", planId, "archive"]),
    },
    { amounts: usualAmounts, secrets: [], versions: { browser: navigator.userAgent }, onPart },
  );
  saveFile(archiveName(cluster, Date.now() / 1_000), "application/zip", new Uint8Array(toZip(files)));
}
