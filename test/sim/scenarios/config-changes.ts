import type { Happening, Scenario } from "../scenario.ts";
import { range, smallCluster, steadyJobs, troubleSeconds } from "./cluster.ts";

/** An operator edits `autoscale.json` while everything runs, and breaks it now and then. */
export const configChanges: Scenario = {
  name: "config-changes",
  about: "time-outs, read-only and mistakes in autoscale.json, changed mid-run",
  draw: (chance) => {
    const changes = range(chance.whole(1, 6)).map(() => ({
      atSeconds: chance.between(0, troubleSeconds),
      keys: chance.pick<Readonly<Record<string, unknown>>>([
        { read_only: true },
        { read_only: false },
        { idle_timeout: chance.whole(30, 600) },
        { idle_timeout: "auto", idle_timeout_most: 300 },
        { boot_timeout: chance.whole(210, 900) },
        { operation_timeout: chance.whole(30, 900) },
        { idle_timeout: "soon" },
        { failed_nodes: "keep" },
      ]),
    }));
    const sound = {
      read_only: false,
      idle_timeout: 180,
      boot_timeout: 500,
      operation_timeout: 300,
      failed_nodes: "delete",
    };
    const happenings = [...changes, { atSeconds: troubleSeconds, keys: sound }].map(
      ({ atSeconds, keys }): Happening => ({
        atSeconds,
        what: `autoscale.json with ${JSON.stringify(keys)}`,
        happens: (stage) => stage.configure("hpc", keys),
      }),
    );
    const jobs = steadyJobs(chance, 12);
    return { clusters: [{ definition: smallCluster("hpc"), jobs }], happenings, troubleSeconds };
  },
};
