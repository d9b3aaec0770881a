import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { gridengine } from "../../../clients/agent/drivers/gridengine/gridengine.ts";
import { type Cell, type CellSize, hostName, idsOf, recorded, script } from "./cell.ts";

const situation = "gridengine/three-hosts-run";
const recordedHost = "ip-0a00000b";

/** Every host with all that `qstat -F` shows of it, and jobs of all kinds that were recorded. */
export function gridengineCell(folder: string, size: CellSize): Cell {
  const qstat = recorded(`${situation}/qstat`);
  const running = firstOf(qstat, / {6}<job_list state="running">[\s\S]*?<\/job_list>\n/);
  const waiting = qstat.match(/ {4}<job_list state="pending">[\s\S]*?<\/job_list>\n/g) ?? [];
  const whole = firstOf(qstat, / {4}<Queue-List>\n {6}<name>all\.q@ip-0a00000b<[\s\S]*?<\/Queue-List>\n/);
  const host = whole.replace(/ {6}<job_list[\s\S]*<\/job_list>\n/, "");
  const files = { queues: join(folder, "queues.xml"), detail: join(folder, "detail.xml") };
  const details = recorded("gridengine/jobs-of-all-kinds-wait-and-are-known/details");
  const detail = firstOf(details, / {4}<element>[\s\S]*?\n {4}<\/element>\n/);
  writeFileSync(files.detail, withId(detail, "ID"));
  const hosts = Array.from({ length: size.hosts }, (_, index) => hostName(index));
  const definitions = recorded(`${situation}/definitions`).replace(
    /^hostlist .*$/m,
    `hostlist ${hosts.join(" ")}`,
  );
  const withJob = (ids: readonly number[]) => ids.map((id) => withId(running, id)).join("");
  return {
    kind: gridengine,
    section: {
      node_arrays: { htc: { slots: 4, complex_values: { gpus: 2, exclusive: true } } },
      qstat: [script(folder, "qstat", qstatScript(files))],
      qconf: [script(folder, "qconf", qconfScript(folder, definitions))],
    },
    print: (round) => {
      const ids = idsOf(size, round);
      const jobsOf = Map.groupBy(ids.running, (id) => id % size.hosts);
      const instances = hosts.map((name, index) =>
        host
          .replaceAll(recordedHost, name)
          .replace("    </Queue-List>", `${withJob(jobsOf.get(index) ?? [])}    </Queue-List>`),
      );
      const pending = ids.waiting.map((id) => withId(waiting[id % waiting.length] ?? "", id));
      writeFileSync(
        files.queues,
        `<?xml version='1.0'?>\n<job_info>\n  <queue_info>\n${instances.join("")}  </queue_info>\n  <job_info>\n${pending.join("")}  </job_info>\n</job_info>\n`,
      );
    },
  };
}

function firstOf(text: string, pattern: RegExp): string {
  const [found] = pattern.exec(text) ?? [];
  if (found === undefined) throw new Error(`Cannot find ${pattern} in the recordings of Grid Engine`);
  return found;
}

function withId(record: string, id: number | string): string {
  return record.replace(/(<JB_job_number>)\d+/, `$1${id}`);
}

/** `-j` with ids is one command for all jobs that the driver asks about. */
function qstatScript({ queues, detail }: { readonly queues: string; readonly detail: string }): string {
  const each = '{ for (i = 1; i <= count; i++) { text = $0; sub("ID", id[i], text); printf "%s", text } }';
  return `for last in "$@"; do ids=$last; done
case " $* " in
*" -j "*)
  printf '<?xml version="1.0"?>\\n<detailed_job_info>\\n  <djob_info>\\n'
  awk -v ids="$ids" 'BEGIN { RS = "\\001"; count = split(ids, id, ",") } ${each}' ${detail}
  printf '  </djob_info>\\n</detailed_job_info>\\n' ;;
*) exec cat ${queues} ;;
esac`;
}

/** Lists of names have one name each, which stands for all. */
function qconfScript(folder: string, definitions: string): string {
  const sections = definitions.split(/^=== (\w+)\n/m);
  for (let index = 1; index < sections.length; index += 2)
    writeFileSync(join(folder, `qconf-${sections[index]}`), sections[index + 1] ?? "");
  const flags = {
    sc: "complexes",
    sq: "queues",
    se: "global",
    sp: "pes",
    shgrp: "groups",
    su: "lists",
    srqs: "quotas",
  };
  const cases = Object.entries(flags).map(
    ([flag, section]) => `-${flag}) exec cat ${folder}/qconf-${section} ;;`,
  );
  return `case $1 in\n${cases.join("\n")}\n*) echo all ;;\nesac`;
}
