import type { Answers } from "../../../../clients/agent/drivers/driver.ts";
import { gridengine } from "../../../../clients/agent/drivers/gridengine/gridengine.ts";
import { type BrokenAnswers, brokenValues } from "../../../../clients/library/schedulers/broken-records.ts";
import type { Whose } from "../../../../clients/library/schedulers/contract.ts";
import { testDriver } from "./driver-contract.ts";

testDriver({
  kind: gridengine,
  section: {
    node_arrays: { htc: { slots: 4, complex_values: { gpus: 2, exclusive: true, nodearray: "htc" } } },
  },
  wrong: [
    [{ node_arrays: {} }, /^node_arrays: .*expected one node array at least/],
    [
      { node_arrays: { htc: { host_groups: ["allhosts"] } } },
      /^node_arrays\.htc\.host_groups\[0\]: "allhosts"/,
    ],
    [{ node_arrays: { htc: { slots: 0 } } }, /^node_arrays\.htc\.slots/],
    [
      { node_arrays: { htc: { complex_values: { gpus: "2,x=3" } } } },
      /^node_arrays\.htc\.complex_values\.gpus/,
    ],
    [{ qstat: [] }, /^qstat: /],
    [{ queue: "all.q" }, /queue/],
  ],
  broken: brokenJobs,
  knows: ["user", "account", "queue"],
  whose: (answers, job) => {
    const [id = ""] = /^\d+/.exec(job) ?? [];
    const text = answers.qstat?.text ?? "";
    const at = text.indexOf(`<JB_job_number>${id}</JB_job_number>`);
    if (at < 0) return undefined;
    const record = text.slice(at, text.indexOf("</job_list>", at));
    const isRunning = text.indexOf("</queue_info>") > at;
    const instance = text
      .slice(0, at)
      .match(/<name>[^<]*@/g)
      ?.at(-1);
    const asked = [...record.matchAll(/<hard_req_queue>([^<]*)</g)].map(([, queue = ""]) => queue);
    return given({
      user: valueIn(record, "JB_owner"),
      account: valueIn(record, "JB_project"),
      queue: isRunning ? instance?.slice("<name>".length, -1) : asked.join(","),
    });
  },
});

function valueIn(record: string, name: string): string | undefined {
  return new RegExp(`<${name}>([^<]*)</${name}>`).exec(record)?.[1];
}

function given(said: Readonly<Record<string, string | undefined>>): Whose {
  return Object.fromEntries(Object.entries(said).filter(([, text]) => text !== undefined && text !== ""));
}

/** Each element of a running job with another text; its host stands outside of it. */
function brokenJobs(answers: Answers): readonly BrokenAnswers[] {
  const { text = "", exitCode = 0 } = answers.qstat ?? {};
  const running = text.indexOf("</queue_info>");
  const texts = brokenValues.flatMap((value) => (typeof value === "object" ? [] : [String(value)]));
  return [...text.matchAll(/<job_list state="running">[\s\S]*?<\/job_list>/g)]
    .filter(({ index }) => index < running)
    .slice(0, 6)
    .flatMap(({ 0: record, index: start }) =>
      [...record.matchAll(/<(\w+)( name="[^"]*")?[^>]*>([^<]*)<\/\1>/g)].map((element, place) => {
        const value = (texts[place % texts.length] ?? "").replaceAll("<", "&lt;").replaceAll("&", "&amp;");
        const [whole, name = "", , inner = ""] = element;
        const from = start + element.index + whole.lastIndexOf(`${inner}</${name}>`);
        const broken = `${text.slice(0, from)}${value}${text.slice(from + inner.length)}`;
        return {
          what: `${name} at ${from} is ${value.slice(0, 40)}`,
          answers: { ...answers, qstat: { text: broken, exitCode } },
        };
      }),
    );
}
