import { commandOf } from "../configured.ts";
import type { ClusterParts, ExemptNodes, SchedulerFile } from "../driver.ts";
import { cycleCloudName } from "./common.ts";
import { lastValueIn, mainFile, settingsFile } from "./config/node-lines.ts";
import { compactHostlist, expandHostlist } from "./hostlist.ts";
import { isOn } from "./power-saving.ts";
import type { dueNodes } from "./reservations.ts";
import type { NodeRecord } from "./slurm-records.ts";
import type { SlurmSettings } from "./slurm-settings.ts";

/**
 * `SuspendExcNodes`: nodes that power saving never powers down by itself. From 23.02 on it changes by a command, which a
 * reconfiguration and a restart forget; before, it only stands in slurm.conf, where the last of several lines counts.
 */
const changesByCommand = 2302;

/** A comma outside of brackets ends one. */
const item = /(?:[^,[\]]|\[[^[\]]*\])+/g;

function itemsIn(value = ""): readonly string[] {
  return value === "(null)" ? [] : (value.match(item) ?? []);
}

/** Slurm keeps so many nodes of a set with a count (`htc-[1-9]:2`) on, whichever they are: no node has to stay. */
function namesIn(items: readonly string[]): readonly string[] {
  return items.flatMap((each) => (each.includes(":") ? [] : (expandHostlist(each) ?? [])));
}

/** What a pass and a look at the files know of each other. */
export interface ExemptFacts {
  /** 2302 for 23.02. */
  release?: number | undefined;
  /** SlurmctldParameters of the controller. */
  parameters?: string | undefined;
  /** What our own file names; undefined: nobody has looked at it yet. */
  inFiles?: ReadonlySet<string>;
}

/** `config`: as `scontrol show config` prints it. `due`: the nodes that reservations need now. */
export function exemptNodes(
  config: string,
  { release, inFiles }: ExemptFacts,
  { nodes, due }: { readonly nodes: readonly NodeRecord[]; readonly due: ReturnType<typeof dueNodes> },
  settings: SlurmSettings,
): ExemptNodes | undefined {
  const [, value] = /^SuspendExcNodes *= (.*)$/m.exec(config) ?? [];
  if (value === undefined || release === undefined) return undefined;
  const isCommand = release >= changesByCommand;
  const isFiles = !isCommand && settings.config !== undefined;
  if (isFiles && inFiles === undefined) return undefined;
  const own = new Set(nodes.map(({ name }) => name));
  const theirs = namesIn(itemsIn(value)).filter((name) => own.has(name) && !(isFiles && inFiles?.has(name)));
  const reserved = nodes.map(({ name }) => name).filter((name) => due.has(name));
  const unspared = reserved.filter((name) => !theirs.includes(name));
  return {
    names: [...new Set(theirs)].map((name) => cycleCloudName(name, settings)),
    ...(isCommand ? { reserved: reserved.map((name) => cycleCloudName(name, settings)) } : {}),
    ...(isCommand || unspared.length === 0
      ? {}
      : {
          notice: `${compactHostlist(unspared)} is in a reservation, and the first job there powers it up: Slurm before 23.02 has SuspendExcNodes in slurm.conf alone; name it there to have it on in time`,
        }),
    on: nodes.filter(isOn).map(({ name }) => cycleCloudName(name, settings)),
    change: (...changes) => {
      if (isFiles) return [];
      const [added, removed] = changes.map((names) => names.map((name) => `${settings.node_prefix}${name}`));
      return isCommand
        ? assignments(value, added ?? [], removed ?? []).map((each) =>
            commandOf(settings.scontrol, ["update", `SuspendExcNodes${each}`]),
          )
        : {
            refused: `${compactHostlist(added ?? removed ?? [])} is kept alive, and Slurm before 23.02 has SuspendExcNodes in slurm.conf alone: name it there, or set slurm.config`,
          };
    },
  };
}

/** Where one set has a count, Slurm takes neither += nor -=. */
function assignments(value: string, added: readonly string[], removed: readonly string[]): readonly string[] {
  const sides = [["+", added] as const, ["-", removed] as const];
  if (!value.includes(":"))
    return sides.flatMap(([sign, names]) =>
      names.length === 0 ? [] : [`${sign}=${compactHostlist(names)}`],
    );
  const items = itemsIn(value);
  const names = new Set([...namesIn(items), ...added]);
  for (const name of removed) names.delete(name);
  // Those that cannot be read stay, too.
  const sets = items.filter((each) => each.includes(":") || expandHostlist(each) === undefined);
  return [`=${[...sets, compactHostlist([...names])].filter((each) => each !== "").join(",")}`];
}

/** What our own file names beside what slurm.conf does. */
export function exemptInFiles(files: readonly SchedulerFile[]): ReadonlySet<string> {
  const theirs = new Set(namesIn(itemsIn(lastValueIn(files, settingsFile, "SuspendExcNodes"))));
  return new Set(
    namesIn(itemsIn(lastValueIn(files, mainFile, "SuspendExcNodes"))).filter((name) => !theirs.has(name)),
  );
}

/** For our own file, which slurm.conf includes: its line has what slurm.conf has, too. Undefined: no node is kept alive. */
export function exemptLine(
  nodes: ClusterParts["nodes"],
  present: readonly SchedulerFile[],
  release: number | undefined,
  { node_prefix }: SlurmSettings,
): string | undefined {
  // Without the controller it stays as it is.
  const isInFile =
    release === undefined
      ? lastValueIn(present, mainFile, "SuspendExcNodes") !== undefined
      : release < changesByCommand;
  const kept = nodes
    .filter(({ keptAlive }) => keptAlive === "others")
    .map(({ name }) => `${node_prefix}${name}`);
  const theirs = itemsIn(lastValueIn(present, settingsFile, "SuspendExcNodes"));
  const ours = kept.filter((name) => !namesIn(theirs).includes(name));
  if (!isInFile || ours.length === 0) return undefined;
  return `SuspendExcNodes=${[...theirs, compactHostlist(ours)].join(",")}`;
}
