import { useEffect, useState } from "preact/hooks";
import type { JobsAnswer, NodesAnswer } from "../../../shared/api/index.ts";
import { Table } from "../parts/table.tsx";
import { linkTo } from "../place.ts";
import { CallError, call, pathOf } from "../service/call.ts";
import { count, counted } from "../words.ts";

/** What a cluster has of what is searched for; undefined: it could not be asked. */
interface Found {
  readonly cluster: string;
  readonly hits: readonly Hit[] | undefined;
}

interface Hit {
  readonly view: "nodes" | "jobs";
  readonly where: string;
  readonly items: number;
  readonly title: string;
}

/** Clusters that are asked at the same time: a service with a hundred has other things to do. */
const atOnce = 4;

/** Nodes and jobs of all clusters that a filter line chooses; a word alone is a name or a user. */
export function Search(props: { readonly clusters: readonly string[]; readonly text: string }) {
  const { clusters, text } = props;
  const [found, setFound] = useState<readonly Found[]>([]);
  const [refusal, setRefusal] = useState<string>();
  const all = clusters.join("\n");
  useEffect(() => {
    const ended = new AbortController();
    setFound([]);
    setRefusal(undefined);
    const left = [...clusters];
    const askOn = async () => {
      for (
        let cluster = left.shift();
        cluster !== undefined && !ended.signal.aborted;
        cluster = left.shift()
      ) {
        const hits = await hitsIn(cluster, text, ended.signal);
        if (ended.signal.aborted) return;
        if (typeof hits === "string") {
          // The line itself is wrong: in each cluster alike.
          setRefusal(hits);
          left.length = 0;
        } else setFound((before) => [...before, { cluster, hits }]);
      }
    };
    for (let turn = 0; turn < atOnce; turn += 1) void askOn();
    return () => ended.abort();
  }, [all, text]);
  if (refusal !== undefined)
    return (
      <p role="alert" class="problem degraded">
        {refusal}
      </p>
    );
  const rows = found
    .flatMap(({ cluster, hits = [] }) => hits.map((hit) => ({ cluster, ...hit })))
    .toSorted((a, b) => a.cluster.localeCompare(b.cluster) || a.title.localeCompare(b.title));
  const silent = found.filter(({ hits }) => hits === undefined).map(({ cluster }) => cluster);
  return (
    <section aria-busy={found.length < clusters.length}>
      <h2>Found for “{text}”</h2>
      <p class="quiet" role="status">
        {found.length < clusters.length
          ? `${count(found.length)} of ${counted(clusters.length, "cluster")} asked…`
          : `${counted(clusters.length, "cluster")} asked.`}
        {silent.length === 0 ? "" : ` Without an answer: ${silent.join(", ")}.`}
      </p>
      <Table
        caption="What was found"
        rows={rows}
        rowKey={({ cluster, view, where }) => `${cluster} ${view} ${where}`}
        none={found.length < clusters.length ? "Nothing yet." : "No node, job or user is like that."}
        columns={[
          ["Cluster", ({ cluster }) => <a href={linkTo({ cluster })}>{cluster}</a>],
          [
            "Found",
            ({ cluster, view, where, title }) => (
              <a href={linkTo({ cluster, view, options: { where } })}>{title}</a>
            ),
          ],
        ]}
      />
    </section>
  );
}

/** What there is in one cluster; undefined where it cannot be asked; text: why no list understands the line. */
async function hitsIn(cluster: string, text: string, signal: AbortSignal): Promise<Found["hits"] | string> {
  const isWord = !/[\s:<>="]/.test(text);
  const questions = [
    { view: "nodes", where: text, noun: "node", whose: "" },
    { view: "jobs", where: text, noun: "job", whose: "" },
    ...(isWord
      ? [{ view: "jobs", where: `user:${text}`, noun: "job", whose: ` of user ${text}` } as const]
      : []),
  ] as const;
  const answers = await Promise.all(
    questions.map(async ({ view, where, noun, whose }): Promise<Hit | CallError> => {
      try {
        const { answer } = await call<NodesAnswer | JobsAnswer>(pathOf("clusters", cluster, view), {
          query: { where, limit: "1" },
          signal,
        });
        const items = answer?.total ?? 0;
        return { view, where, items, title: `${counted(items, noun)}${whose}` };
      } catch (error) {
        if (error instanceof CallError) return error;
        if (signal.aborted) return new CallError({ title: "Nobody waits for it" });
        throw error;
      }
    }),
  );
  const hits = answers.filter((answer): answer is Hit => !(answer instanceof CallError));
  if (hits.length > 0) return hits.filter(({ items }) => items > 0);
  const refused = answers.find((answer): answer is CallError => answer instanceof CallError);
  return refused?.status === 400 ? (refused.problems[0] ?? refused.message) : undefined;
}
