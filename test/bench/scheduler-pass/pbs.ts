import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { pbs } from "../../../clients/agent/drivers/pbs/pbs.ts";
import { type Cell, type CellSize, hostName, idsOf, recorded, script } from "./cell.ts";

type Attributes = Readonly<Record<string, unknown>>;

/** Nodes and jobs as they were recorded, each job with the attributes that PBS prints beside those of the recordings. */
export function pbsCell(folder: string, size: CellSize): Cell {
  const listIn = (name: string, list: string): readonly Attributes[] =>
    Object.values(JSON.parse(recorded(`pbs/jobs-run-and-wait/${name}`))[list]);
  const jobs = listIn("jobs", "Jobs");
  const [run] = jobs.filter(({ job_state }) => job_state === "R");
  // Arrays need their parent beside them.
  const waiting = jobs.filter(({ job_state, array_id }) => job_state === "Q" && array_id === undefined);
  const [node] = listIn("nodes", "nodes");
  const file = (name: string) => join(folder, name);
  for (const name of ["queues", "resources", "scheduled", "server"])
    writeFileSync(file(name), recorded(`pbs/jobs-run-and-wait/${name}`));
  const write = (name: string, list: string, records: readonly (readonly [string, Attributes])[]) => {
    const head = { timestamp: 1_795_478_964, pbs_version: "23.06.06", pbs_server: "pbs-head" };
    const whole = { ...head, [list]: Object.fromEntries(records) };
    writeFileSync(file(name), `${JSON.stringify(whole, null, "\t").replaceAll('": ', '":\t')}\n`);
  };
  return {
    kind: pbs,
    section: {
      node_arrays: { htc: { resources: { ncpus: 4, mem: "16gb" } } },
      qstat: [
        script(
          folder,
          "qstat",
          `case " $* " in *" -Q "*) exec cat ${file("queues")};; *" -B "*) exec cat ${file("server")};; *) exec cat ${file("jobs")};; esac`,
        ),
      ],
      pbsnodes: [script(folder, "pbsnodes", `exec cat ${file("nodes")}`)],
      qmgr: [script(folder, "qmgr", `exec cat ${file("resources")}`)],
      sched_config: file("scheduled"),
    },
    print: (round) => {
      const ids = idsOf(size, round);
      const host = (id: number) => hostName(id % size.hosts);
      const jobsOf = Map.groupBy(ids.running, host);
      write("jobs", "Jobs", [
        ...ids.running.map((id) => {
          const place = { exec_host: `${host(id)}/0`, exec_vnode: `(${host(id)}:ncpus=1:mem=1048576kb)` };
          return [`${id}.pbs-head`, { ...run, ...place, ...usual(id) }] as const;
        }),
        ...ids.waiting.map(
          (id) => [`${id}.pbs-head`, { ...waiting[id % waiting.length], ...usual(id) }] as const,
        ),
      ]);
      write(
        "nodes",
        "nodes",
        Array.from({ length: size.hosts }, (_, index) => {
          const name = hostName(index);
          const running = (jobsOf.get(name) ?? []).map((id) => `${id}.pbs-head`);
          const available = { ...(node?.resources_available as Attributes), host: name, vnode: name };
          return [name, { ...node, Mom: name, jobs: running, resources_available: available }] as const;
        }),
      );
    },
  };
}

/** What PBS prints of each job beside what recordings keep: 1.8 kB a job in all. */
function usual(id: number): Attributes {
  return {
    server: "pbs-head",
    Checkpoint: "u",
    ctime: "Tue Nov 24 00:08:29 2026",
    Error_Path: `pbs-head:/tmp/job.e${id}`,
    Output_Path: "pbs-head:/dev/null",
    Join_Path: "oe",
    Keep_Files: "n",
    Mail_Points: "a",
    mtime: "Tue Nov 24 00:09:20 2026",
    Variable_List: {
      PBS_O_HOME: "/home/ann",
      PBS_O_LANG: "C.UTF-8",
      PBS_O_LOGNAME: "ann",
      PBS_O_PATH:
        "/usr/local/bin:/usr/local/bin:/usr/local/bin:/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin",
      PBS_O_MAIL: "/var/mail/ann",
      PBS_O_SHELL: "/bin/sh",
      PBS_O_INTERACTIVE_AUTH_METHOD: "resvport",
      PBS_O_INTERACTIVE_ENCRYPT_METHOD: "",
      PBS_O_WORKDIR: "/tmp",
      PBS_O_SYSTEM: "Linux",
      PBS_O_QUEUE: "htcq",
      PBS_O_HOST: "pbs-head",
    },
    hashname: `${id}.pbs-head`,
    queue_rank: 1_795_478_909_966_192,
    queue_type: "E",
    etime: "Tue Nov 24 00:08:29 2026",
    Submit_arguments: "-j oe -o /dev/null -N single -q htcq -l select=1:ncpus=1:mem=1gb",
    run_version: 1,
    Submit_Host: "pbs-head",
  };
}
