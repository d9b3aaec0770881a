import { describe, expect, test } from "vitest";
import { drawUpFiles } from "../../../../clients/agent/drivers/slurm/config/draw-up-files.ts";
import { comparable } from "../../../../clients/agent/drivers/slurm/config/running-controller.ts";
import { compactHostlist, expandHostlist } from "../../../../clients/agent/drivers/slurm/hostlist.ts";
import { slurmSettingsSchema } from "../../../../clients/agent/drivers/slurm/slurm-settings.ts";
import { bucket, partsOf } from "./cluster-parts.ts";

/** As 22.05.8 prints it, without the fields that nobody reads. */
const config = `Configuration data as of 2026-11-26T02:50:00
CommunicationParameters = NoAddrCache
PrivateData             = cloud
ResumeProgram           = /bin/true
ReturnToService         = 1
TreeWidth               = 65533
SuspendProgram          = /bin/true
SuspendTime             = INFINITE

Slurmctld(primary) at head is UP
`;
const node = (name: string, given = "") =>
  `NodeName=${name} CoresPerSocket=2 CPUAlloc=0 CPUTot=4 CPULoad=0.00 AvailableFeatures=cloud,Standard_D4s_v5,htc,regular,westeurope ActiveFeatures=cloud Gres=(null) RealMemory=15360 Sockets=1 State=IDLE+CLOUD ThreadsPerCore=2 Weight=1 Partitions=htc ${given}\n`;
/** As 22.05.8 prints it when the line of slurm.conf has these options. */
const printedOptions: readonly (readonly [options: Record<string, string>, printed: string])[] = [
  [{}, "AllowGroups=ALL AllowAccounts=ALL DefaultTime=NONE MaxTime=UNLIMITED MinNodes=0 PriorityTier=1"],
  [{ allowaccounts: "Chem,bio", PriorityTier: "10" }, "AllowAccounts=chem,bio PriorityTier=10"],
  [{ DenyAccounts: "x,y" }, "DenyAccounts=x,y"],
  [{ DefaultTime: "90", MaxTime: "48:00:00" }, "DefaultTime=01:30:00 MaxTime=2-00:00:00"],
  [{ OverSubscribe: "YES", PreemptMode: "SUSPEND,GANG" }, "OverSubscribe=YES:4 PreemptMode=GANG,SUSPEND"],
  [{ SelectTypeParameters: "CR_Core", QOS: "N/A" }, "SelectTypeParameters=CR_CORE QoS=N/A"],
  [
    { DefCpuPerGPU: "4", DefMemPerCPU: "3840", TRESBillingWeights: "CPU=1.0,Mem=0.25G" },
    "JobDefaults=DefCpuPerGPU=4 TRESBillingWeights=CPU=1.0,Mem=0.25G",
  ],
  [
    { MaxMemPerNode: "8000", DefMemPerNode: "2000" },
    "DefMemPerCPU=UNLIMITED DefMemPerNode=2000 MaxMemPerNode=8000",
  ],
  // These three as the source of 26.05.3 has it.
  [{ OverSubscribe: "EXCLUSIVE" }, "Exclusive=NODE OverSubscribe=NO"],
  [{ ExclusiveUser: "YES" }, "Exclusive=USER OverSubscribe=NO"],
  [{}, "Exclusive=NO OverSubscribe=NO"],
];

const partition = (nodes: string) =>
  `PartitionName=htc AllowGroups=ALL Default=YES MaxTime=UNLIMITED Nodes=${nodes} OverSubscribe=NO State=UP DefMemPerCPU=3840 MaxMemPerNode=UNLIMITED\n`;

function compared(
  answers: { config?: string; nodes?: string; partitions?: string },
  options: Record<string, string> = {},
) {
  const own = slurmSettingsSchema.parse({ ignore_partitions: ["login"], partitions: { htc: { options } } });
  const drawnUp = drawUpFiles(partsOf([bucket({ most: 3 })]), own);
  if ("refused" in drawnUp) throw new Error(drawnUp.refused);
  const texts = {
    config,
    nodes: ["htc-1", "htc-2", "htc-3"].map((name) => node(name)).join(""),
    partitions: partition("htc-[1-3]"),
    ...answers,
  };
  const given = Object.fromEntries(
    Object.entries(texts).map(([name, text]) => [name, { text, exitCode: 0 }]),
  );
  return comparable(drawnUp.files, given, own);
}

describe("a running controller beside the files that would be written", () => {
  test("the same, in other words: nothing differs", () => {
    const both = compared({});
    if ("unreadable" in both) throw new Error(both.unreadable);
    expect(both.running).toBe(both.wanted);
    expect(both.wanted).toContain("NodeName=htc-[1-3] CPUs=4 ");
  });

  const three = "htc-1 htc-2 htc-3"
    .split(" ")
    .map((name) => node(name))
    .join("");
  test.each([
    ["a node less", { nodes: node("htc-1") }, "NodeName=htc-1 CPUs=4"],
    ["a node more", { nodes: `${three}${node("old-7")}` }, "NodeName=htc-[1-3],old-7 CPUs=4"],
    ["other memory", { nodes: three.replace("RealMemory=15360", "RealMemory=16000") }, "RealMemory=16000"],
    ["a setting", { config: config.replace("INFINITE", "300 sec") }, "SuspendTime=300"],
    ["a setting that is not there", { config: config.replace("= cloud", "= none") }, "PrivateData=none"],
    ["a partition's nodes", { partitions: partition("htc-[1-2]") }, "PartitionName=htc Nodes=htc-[1-2] "],
    ["no partition", { partitions: partition("htc-[1-3]").replace("=htc ", "=other ") }, "SuspendTime=-1"],
  ])("%s shows", (_, answers, line) => {
    const both = compared(answers);
    if ("unreadable" in both) throw new Error(both.unreadable);
    expect(both.running).not.toBe(both.wanted);
    expect(both.running).toContain(line);
  });

  const withOptions = (printed: string) =>
    `PartitionName=htc ${printed} Default=YES Nodes=htc-[1-3] State=UP DefMemPerCPU=3840 MaxMemPerNode=UNLIMITED\n`;
  test.each(printedOptions)(
    "options %j of a partition are printed in other words: nothing differs",
    (options, printed) => {
      const both = compared({ partitions: withOptions(printed) }, options);
      if ("unreadable" in both) throw new Error(both.unreadable);
      expect(both.running.split("\n").at(-2)).toBe(both.wanted.split("\n").at(-2));
    },
  );

  test.each([
    [
      "one that is asked for",
      { PriorityTier: "10" },
      "PriorityTier=1",
      ["PriorityTier=10", "PriorityTier=1"],
    ],
    ["one that was asked for before", {}, "PriorityTier=10", ["PriorityTier=1", "PriorityTier=10"]],
    ["one that is not printed", { DenyQos: "low" }, "AllowQos=ALL", ["DenyQos=LOW", "DenyQos="]],
    ["a time", { MaxTime: "60" }, "MaxTime=01:30:00", ["MaxTime=60", "MaxTime=90"]],
    ["whom it takes", { AllowGroups: "chem" }, "AllowGroups=ALL", ["AllowGroups=CHEM", "AllowGroups=ALL"]],
  ])("%s of a partition's options shows", (_, options, printed, [wanted, running]) => {
    const both = compared({ partitions: withOptions(printed) }, options);
    if ("unreadable" in both) throw new Error(both.unreadable);
    expect(both.wanted.split(/\s/)).toContain(wanted);
    expect(both.running.split(/\s/)).toContain(running);
  });

  test("nodes that are always there, and those of ignored partitions, are nobody's here", () => {
    const others = `${node("head").replace("+CLOUD", "")}${node("login-1").replace("Partitions=htc", "Partitions=login")}`;
    const both = compared({ nodes: `${three}${others}` });
    if ("unreadable" in both) throw new Error(both.unreadable);
    expect(both.running).toBe(both.wanted);
  });

  test.each([{ nodes: three.slice(0, -5) }, { partitions: "" }, { config: "" }])(
    "%j: an answer that is not whole is no difference",
    (answers) => {
      expect(compared(answers)).toHaveProperty("unreadable");
    },
  );
});

test.each([
  [["htc-2", "htc-1", "htc-3", "gpu-7", "htc-9"], "gpu-7,htc-[1-3,9]"],
  [["head", "htc-007", "htc-8"], "head,htc-007,htc-8"],
  [["a1b", "0", "10"], "[0,10],a1b"],
  [[], ""],
])("%j as a hostlist: %s, which means the same names", (names, list) => {
  expect(compactHostlist(names)).toBe(list);
  expect([...(expandHostlist(list) ?? [])].toSorted()).toEqual([...names].toSorted());
});
