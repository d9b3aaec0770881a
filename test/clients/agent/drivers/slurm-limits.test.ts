import { describe, expect, test } from "vitest";
import { areLimitsEnforced, readLimits } from "../../../../clients/agent/drivers/slurm/limits.ts";
import { readReservations } from "../../../../clients/agent/drivers/slurm/reservations.ts";
import { nodeRecord } from "../../../../clients/agent/drivers/slurm/slurm-records.ts";
import { readSlurm, slurmNode, waitingJob } from "./slurm-reading.ts";

/** As Slurm 22.05 prints it, shortened. */
const limits = `Current Association Manager state
Association Records
ClusterName=test Account=root UserName= Partition= Priority=0 ID=1 ParentAccount= Lft=1 GrpJobs=N(2) GrpWall=N(0.00) GrpTRES=cpu=N(4),mem=N(2048) MaxJobs= MaxWallPJ= MaxTRESPJ=
ClusterName=test Account=proj UserName= Partition= Priority=0 ID=3 ParentAccount=root(1) Lft=2 GrpJobs=7(2) GrpWall=N(0.00) GrpTRES=cpu=40(4),mem=N(2048),gres/gpu=2(0) MaxJobs= MaxWallPJ= MaxTRESPJ=node=3
ClusterName=test Account=proj UserName=ann(1001) Partition= Priority=0 ID=4 ParentAccount= Lft=3 GrpJobs=N(2) GrpWall=N(0.00) GrpTRES=cpu=N(4) MaxJobs=5(2) MaxWallPJ= MaxTRESPJ=node=3
QOS Records
QOS=normal(1) UsageRaw=0.000000 GrpJobs=N(0) GrpWall=N(0.00) GrpTRES=cpu=N(0) MaxWallPJ= MaxTRESPJ= MinTRESPJ= PreemptMode=OFF Priority=0 Account Limits= {No Accounts} User Limits= {No Users}
QOS=capped(2) UsageRaw=0.000000 GrpJobs=50(2) GrpWall=N(0.00) GrpTRES=cpu=100(4) MaxWallPJ=120 MaxTRESPJ=cpu=12 MinTRESPJ= PreemptMode=OFF Priority=0 Account Limits= proj={MaxJobsPA=9(2) MaxTRESPA=cpu=40(4),mem=N(2048)} User Limits= 1001={MaxJobsPU=2(1) MaxTRESPU=cpu=8(4),mem=N(2048),node=3(1)}
`;
const ann = { user_name: "ann", user_id: 1001, account: "proj", association_id: 4 };
const pool = (name: string, requested: number, total: number, free: number) => ({
  "resource-name": name,
  requested,
  "initial-value": total,
  "current-value": free,
});

function poolsOf(job: object): unknown {
  const reading = readSlurm({ jobs: [waitingJob({ ...ann, ...job })], limits });
  if (!reading.known) throw new Error(reading.reason);
  return reading.jobs.map(({ constraints }) =>
    [constraints].flat().flatMap((each) => each["shared-consumable-constraint"] ?? []),
  );
}

describe("limits of accounts and QOS", () => {
  test("a QOS decides what it limits, the account and the user the rest", () => {
    expect(poolsOf({ qos: "capped" })).toEqual([
      [
        pool("QOS capped: jobs", 1, 50, 48),
        pool("QOS capped: jobs of user ann", 1, 2, 1),
        pool("QOS capped: jobs of account proj", 1, 9, 7),
        pool("QOS capped: cpu", 1, 100, 96),
        pool("QOS capped: cpu of user ann", 1, 8, 4),
        pool("QOS capped: cpu of account proj", 1, 40, 36),
        pool("QOS capped: node of user ann", 0.25, 3, 2),
      ],
    ]);
  });

  test.each([
    [
      "without associations",
      limits.replace(
        /Association Records[\s\S]*(?=QOS Records)/,
        "No associations currently cached in Slurm.\n",
      ),
      false,
    ],
    ["without QOS", limits.replace(/QOS Records[\s\S]*/, "No QOS currently cached in Slurm.\n"), true],
    ["cut short before the QOS", limits.replace(/QOS Records[\s\S]*/, ""), false],
  ])("as the controller has them %s, they may be known or not", (_, text, isKnown) => {
    expect(readSlurm({ jobs: [], limits: text }).known).toBe(isKnown);
  });

  test("without a limit of the QOS, those of the account and the user hold", () => {
    expect(poolsOf({ qos: "normal" })).toEqual([
      [
        pool("account proj: jobs", 1, 7, 5),
        pool("user ann in account proj: jobs at a time", 1, 5, 3),
        pool("account proj: cpu", 1, 40, 36),
      ],
    ]);
  });

  test("a user who has no job there yet has used nothing", () => {
    expect(poolsOf({ qos: "capped", user_name: "bob", user_id: 1002, association_id: 9 })).toEqual([
      expect.arrayContaining([pool("QOS capped: jobs of user bob", 1, 2, 2)]),
    ]);
  });

  test.each([
    ["more cpus than a job may have", { qos: "capped", tres_req_str: "cpu=13,mem=1000M,node=1" }],
    ["longer than a job may run", { qos: "capped", time_limit: { set: true, infinite: false, number: 121 } }],
    ["more nodes than a job may have", { qos: "normal", tres_req_str: "cpu=4,mem=1M,node=4", node_count: 4 }],
    ["more than the whole account may have", { qos: "normal", tres_req_str: "cpu=41,mem=1M,node=1" }],
  ])("no node helps: %s", (_, job) => {
    expect(poolsOf(job)).toEqual([]);
  });

  test.each([
    ["all of its time is used up", "GrpWall=60(60.00)", undefined],
    ["some of its time is left", "GrpWall=60(59.00)", []],
    ["all its minutes of a resource are used up", "GrpTRESMins=cpu=100(100)", undefined],
    ["some of its minutes are left", "GrpTRESMins=cpu=100(99)", []],
    ["minutes of another resource are used up", "GrpTRESMins=gres/gpu=100(100)", []],
    ["a job may have fewer CPUs of a node", "MaxTRESPN=cpu=1", undefined],
    ["a job may have as many CPUs of a node", "MaxTRESPN=cpu=2", []],
    ["a job may have fewer minutes of CPUs", "MaxTRESMinsPJ=cpu=119", undefined],
    ["a job may have as many minutes of CPUs", "MaxTRESMinsPJ=cpu=120", []],
    ["running jobs may have fewer minutes", "GrpTRESRunMins=cpu=119(0)", undefined],
    [
      "running jobs leave enough minutes",
      "GrpTRESRunMins=cpu=240(100)",
      [pool("user ann in account proj: minutes of cpu", 120, 240, 140)],
    ],
  ])("where %s (%s of the user), a job of two CPUs for an hour draws on %j", (_, limit, more) => {
    const reading = readSlurm({
      jobs: [waitingJob({ ...ann, cpus: 2, tres_req_str: "cpu=2,mem=1000M,node=1", time_limit: 60 })],
      limits: limits.replace(/GrpJobs=.*(?=\nQOS Records)/, limit),
    });
    if (!reading.known) throw new Error(reading.reason);
    const pools = reading.jobs.map(({ constraints }) =>
      [constraints].flat().flatMap((each) => each["shared-consumable-constraint"] ?? []),
    );
    const usual = [pool("account proj: jobs", 1, 7, 5), pool("account proj: cpu", 2, 40, 36)];
    expect(pools).toEqual(more === undefined ? [] : [[...usual, ...more]]);
  });

  test.each([
    ["one node", "node=1", "cpu=1,mem=1000M,node=1", 1],
    ["two nodes", "node=2", "cpu=1,mem=1000M,node=1", 0],
    ["two cpus", "cpu=2", "cpu=1,mem=1000M,node=1", 0],
    ["one cpu", "cpu=1", "cpu=1,mem=1000M,node=1", 1],
    ["one GPU", "gres/gpu=1", "cpu=1,mem=1000M,node=1", 0],
  ])("a job that shares its node has a whole one where a QOS wants at least %s", (_, least, tres, jobs) => {
    const reading = readSlurm({
      jobs: [waitingJob({ ...ann, qos: "normal", tres_req_str: tres })],
      limits: limits.replace("MinTRESPJ=", `MinTRESPJ=${least}`),
    });
    if (!reading.known) throw new Error(reading.reason);
    expect(reading.jobs).toHaveLength(jobs);
  });

  test("limits that do not hold jobs back are not read; a text that was cut is not taken for no limits", () => {
    expect(areLimitsEnforced("AccountingStorageEnforce = associations,limits,qos\n")).toBe(true);
    expect(areLimitsEnforced("AccountingStorageEnforce = associations,safe\n")).toBe(true);
    expect(areLimitsEnforced("AccountingStorageEnforce = none\n")).toBe(false);
    expect(readLimits(limits.slice(0, -30))).toBeUndefined();
    expect(readLimits("Current Association Manager state\n")).toBeUndefined();
    expect(readSlurm({ jobs: [], limits: "cut" })).toMatchObject({
      known: false,
      reason: "scontrol did not print all limits of accounts and QOS",
    });
  });
});

describe("reservations", () => {
  const nodes = new Map([1, 2].map((index) => [`htc-${index}`, nodeRecord.parse(slurmNode(index))]));
  const line = (fields: string) =>
    `ReservationName=m StartTime=1795400300 EndTime=1795403900 Nodes=htc-[1-2] NodeCnt=2 ${fields}State=INACTIVE\n`;

  test("one that has some cores of its nodes, or licences only, keeps no node", () => {
    expect(readReservations(line("TRES=cpu=8 "), nodes)).toHaveLength(1);
    expect(readReservations(line("TRES=cpu=4 "), nodes)).toMatchObject([{ cpuShare: 0.5 }]);
    const runs = { job_id: 8, job_state: ["RUNNING"], nodes: "htc-1" };
    const jobs = [waitingJob(), waitingJob({ ...runs, resv_name: "m" }), waitingJob({ ...runs, job_id: 9 })];
    const reading = readSlurm({ jobs, reservations: line("TRES=cpu=4 ") });
    // The other CPUs take any job; its own job uses up none of those.
    expect(reading).toMatchObject({
      jobs: [{ name: "7" }, { name: "8", constraints: { memmb: 1000 } }, { constraints: { ncpus: 1 } }],
      nodes: [{ resources: { ncpus: 2 } }, { resources: { ncpus: 2 } }],
    });
    expect(reading).not.toHaveProperty("jobs.1.constraints.ncpus");
    expect(readReservations(line("").replace("htc-[1-2]", "(null)"), nodes)).toEqual([]);
  });

  test("one whose times or nodes cannot be read makes the reading unknown", () => {
    expect(readReservations(line("").replace("1795400300", "tomorrow"), nodes)).toBeUndefined();
    expect(readReservations(line("").replace("htc-[1-2]", "htc-[1-"), nodes)).toBeUndefined();
    expect(readSlurm({ jobs: [], reservations: "ReservationName=m" })).toMatchObject({ known: false });
  });

  describe("whose nodes are ordered", () => {
    const section = { reservation_lead_seconds: 600, partitions: { htc: { colocated: true } } };
    const away = { hostname: "htc-2", address: "255.255.255.255", slurmd_version: "", reason: "cyclecloud" };
    const down = { ...away, state: ["DOWN", "CLOUD", "POWERED_DOWN"] };
    const read = (fields: string, node: object = {}, more: object = {}) => {
      const reading = readSlurm({
        jobs: [waitingJob({ resv_name: "m" })],
        nodes: [slurmNode(1), slurmNode(2, { ...down, ...node })],
        reservations: line(fields),
        section: { ...section, ...more },
      });
      if (!reading.known) throw new Error(reading.reason);
      return reading;
    };

    test("are wanted by name until it ends, those that are there are held, and its jobs want no others", () => {
      const reading = read("TRES=cpu=8 Flags=SPEC_NODES ");
      const why = { nodeArray: "htc", colocated: true, reason: "Slurm has it in reservation m" };
      expect(reading.named?.wanted).toEqual([{ names: ["htc-2"], ...why, staysWanted: true }]);
      expect(reading.nodes).toMatchObject([
        { hostname: "ip-1", state: "draining", isOutByOthers: true, stateReason: "reservation m" },
      ]);
      expect([reading.jobs, reading.setAside]).toEqual([[], []]);
      const back = reading.named?.giveBack(["htc-2"], "no room");
      expect(back).toEqual({ names: ["htc-2"], commands: [] });
    });

    test.each([
      ["a lead that is shorter", "TRES=cpu=8 ", {}, { reservation_lead_seconds: 200 }],
      ["maintenance", "Flags=MAINT,SPEC_NODES ", {}, {}],
      ["a node that a person took down", "TRES=cpu=8 ", { reason: "broken" }, {}],
    ])("not with %s", (_, fields, node, more) => {
      expect(read(fields, node, more).named?.wanted).toEqual([]);
    });

    const there = (state: readonly string[], reason: string, fields = "TRES=cpu=8 ") => {
      const reserved = { state, reason, reason_set_by_user: "ann" };
      const nodes = [slurmNode(1, reserved), slurmNode(2)];
      const jobs = [waitingJob({ resv_name: "m" })];
      const draining = reason.startsWith("cyclecloud") ? ["ip-1"] : [];
      const reading = readSlurm({ jobs, nodes, reservations: line(fields), section, draining });
      return reading.known ? reading.nodes[0] : reading;
    };

    test.each([
      ["before it begins", ["IDLE"]],
      ["while it lasts", ["IDLE", "RESERVED"]],
    ])("hide no drain of a person and are not held as one of ours is, %s", (_, state) => {
      const byOthers = { isOutByOthers: true, stateReason: "broken", stateBy: "ann" };
      expect(there([...state, "DRAIN"], "broken")).toMatchObject(byOthers);
      expect(there([...state, "DRAIN"], "cyclecloud: idle")).not.toHaveProperty("isOutByOthers");
      expect(there(state, "")).toMatchObject({ isOutByOthers: true, stateReason: "reservation m" });
    });

    test("take other jobs where it has some of their cores", () => {
      expect(read("TRES=cpu=4 ").named?.wanted).toMatchObject([{ names: ["htc-2"], staysWanted: true }]);
      expect(there(["IDLE"], "", "TRES=cpu=4 ")).toMatchObject({ state: "up" });
    });

    test("its jobs are left out with a reason where none are ordered, as for maintenance", () => {
      expect(read("Flags=MAINT,SPEC_NODES ")).toMatchObject({
        jobs: [],
        setAside: [{ reason: 'reservation "m" is for maintenance: its nodes are not ordered' }],
      });
    });

    const inM = { resv_name: "m" };
    test.each([
      ["FLEX, before its nodes come", "FLEX", { reservation_lead_seconds: 200 }, inM, 1],
      ["FLEX, where none are ordered", "FLEX", {}, inM, 1],
      ["FLEX, when its nodes come", "FLEX", section, inM, 0],
      ["FLEX, more nodes than it has", "FLEX", section, { ...inM, node_count: 3 }, 1],
      ["for licences alone", "ANY_NODES", {}, inM, 1],
      ["one of several", "SPEC_NODES", section, { resv_name: "other,m" }, 0],
    ])("jobs of one, %s", (_, flags, settings, job, count) => {
      const own = line(`Flags=${flags} `);
      const reservations = flags === "ANY_NODES" ? own.replace("htc-[1-2]", "(null)") : own;
      const reading = readSlurm({ jobs: [waitingJob(job)], reservations, section: settings });
      expect(reading).toMatchObject({ jobs: Array(count).fill({ name: "7" }), setAside: [] });
    });

    test("one that does not say how long before: its jobs are left out, with the setting that is missing", () => {
      const reading = readSlurm({ jobs: [waitingJob({ resv_name: "m" })], reservations: line("") });
      expect(reading).toMatchObject({
        jobs: [],
        setAside: [
          {
            reason: 'reservation "m": its nodes are not ordered, since "reservation_lead_seconds" is not set',
          },
        ],
      });
    });
  });

  test.each([
    ["without a time limit", {}, 0],
    ["that ends later", { time_limit: { set: true, infinite: false, number: 60 } }, 0],
    ["that ends before", { time_limit: { set: true, infinite: false, number: 4 } }, 1],
    ["that Slurm may shorten", { time_limit: 600, time_minimum: 4 }, 1],
  ])("a job %s", (_, job, count) => {
    const reading = readSlurm({ jobs: [waitingJob(job)], reservations: line("") });
    expect(reading).toMatchObject({
      jobs: Array.from({ length: count }, () => ({ name: "7" })),
      setAside: Array.from({ length: 1 - count }, () => ({
        reason: 'would run into reservation "m"',
      })),
    });
  });

  test("a node that a user has (--exclusive=user) is excluded for all others", () => {
    const nodes = [slurmNode(1, { owner: "ann", alloc_cpus: 1, state: ["MIXED"] }), slurmNode(2)];
    const jobs = ["ann", "bob"].map((user_name, index) => waitingJob({ job_id: 7 + index, user_name }));
    expect(readSlurm({ jobs, nodes })).toMatchObject({
      jobs: [
        { name: "7", constraints: { "node.nodearray": "htc", ncpus: 1, memmb: 1000 } },
        { name: "8", constraints: { not: { "node.name": ["htc-1"] } } },
      ],
      setAside: [],
    });
  });
});
