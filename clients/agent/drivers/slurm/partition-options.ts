/** Power saving, by which Slurm itself asks for nodes. */
const powerOptions = ["PowerDownOnIdle", "ResumeTimeout", "SuspendTime", "SuspendTimeout"];

/** Options of a partition that the driver's files may have as an administrator wants them. Nodes and the default partition are ours. */
const options = [
  ...powerOptions,
  "AllocNodes",
  "AllowAccounts",
  "AllowGroups",
  "AllowQos",
  "Alternate",
  "CpuBind",
  "DefaultTime",
  "DefCpuPerGPU",
  "DefMemPerCPU",
  "DefMemPerGPU",
  "DefMemPerNode",
  "DenyAccounts",
  "DenyQos",
  "DisableRootJobs",
  "ExclusiveTopo",
  "ExclusiveUser",
  "GraceTime",
  "Hidden",
  "LLN",
  "MaxCPUsPerNode",
  "MaxCPUsPerSocket",
  "MaxMemPerCPU",
  "MaxMemPerNode",
  "MaxNodes",
  "MaxTime",
  "MinNodes",
  "OverSubscribe",
  "OverTimeLimit",
  "PreemptMode",
  "PriorityJobFactor",
  "PriorityTier",
  "QOS",
  "ReqResv",
  "RootOnly",
  "SelectTypeParameters",
  "State",
  "Topology",
  "TRESBillingWeights",
];

const spellings = new Map(options.map((name) => [name.toLowerCase(), name]));

export function isPartitionOption(name: string): boolean {
  return spellings.has(name.toLowerCase());
}

export function isPowerOption(name: string): boolean {
  return powerOptions.includes(spellings.get(name.toLowerCase()) ?? "");
}

/** One word: nothing of it ends the value, begins a comment or continues the line. */
export const optionValue = /^[\w.:+,=/%@()[\]*-]{1,2000}$/;

/** A partition's options behind those that it has without: the same key once, as Slurm reads keys. */
export function optionsWith(
  usual: readonly (readonly [key: string, value: string])[],
  wanted: Readonly<Record<string, string>>,
): readonly string[] {
  const own = new Map(Object.entries(wanted).map(([key, value]) => [key.toLowerCase(), value]));
  // Slurm takes one of these alone.
  const isMemory = (name: string) => ["defmempercpu", "defmempernode", "defmempergpu"].includes(name);
  const hasMemory = [...own.keys()].some(isMemory);
  const kept = usual.filter(([key]) => {
    const name = key.toLowerCase();
    return !own.has(name) && !(hasMemory && isMemory(name));
  });
  return [...kept, ...[...own].map(([name, value]) => [spellings.get(name) ?? name, value] as const)].map(
    ([key, value]) => `${key}=${value}`,
  );
}
