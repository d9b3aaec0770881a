import type { DrawnUpFiles } from "../../driver.ts";
import { expandHostlist } from "../hostlist.ts";
import type { SlurmSettings } from "../slurm-settings.ts";

/** From this release on a controller that reads its files again takes new names; one before it ends. */
const takesNames = [23, 11] as const;

/** Has the controller read its files again, where it survives that. */
export function applyFiles(
  files: DrawnUpFiles["files"],
  { scontrol: [program = "scontrol", ...first], ignore_partitions }: SlurmSettings,
): NonNullable<DrawnUpFiles["apply"]> {
  const scontrol = (...args: readonly string[]) => ({ program, args: [...first, ...args] });
  return {
    reads: [
      { kind: "command", name: "version", ...scontrol("--version") },
      { kind: "command", name: "nodes", ...scontrol("show", "nodes", "--oneliner") },
    ],
    decide: ({ version, nodes }) => {
      const release = /(?<!\d)(\d{1,4})\.(\d{1,4})(?:\.\d{1,4})?/.exec(version?.text ?? "");
      const isNew =
        release !== null &&
        Number(release[1]) * 100 + Number(release[2]) >= takesNames[0] * 100 + takesNames[1];
      const change = isNew ? undefined : changeOfNames(files, nodes?.text ?? "", ignore_partitions);
      if (change === undefined) return { command: scontrol("reconfigure") };
      return {
        refused: `slurmctld ${release?.[0] ?? "of an unknown release"} ${change}: restart it. It takes such a change only when it starts, and would end if it were told to read its files again`,
      };
    },
  };
}

/** In words; undefined: the controller has exactly the nodes of the files. */
function changeOfNames(
  files: DrawnUpFiles["files"],
  printed: string,
  ignored: readonly string[],
): string | undefined {
  const wanted = new Set(
    files.flatMap(({ text }) =>
      [...text.matchAll(/^NodeName=(\S+) CPUs=/gm)].flatMap(([, list = ""]) => expandHostlist(list) ?? []),
    ),
  );
  const known = printed.split("\n").flatMap((line) => {
    const name = /^NodeName=(\S+)/.exec(line)?.[1];
    const states = / State=(\S+)/.exec(line)?.[1] ?? "";
    const partitions = / Partitions=(\S+)/.exec(line)?.[1]?.split(",") ?? [];
    const isOther =
      !states.split("+").includes("CLOUD") ||
      (partitions.length > 0 && partitions.every((each) => ignored.includes(each)));
    return name === undefined ? [] : [{ name, isOther }];
  });
  const names = new Set(known.map(({ name }) => name));
  const added = [...wanted].filter((name) => !names.has(name)).length;
  const gone = known.filter(({ name, isOther }) => !isOther && !wanted.has(name)).length;
  if (added + gone === 0) return undefined;
  const parts = [
    ...(added === 0 ? [] : [`does not know ${added} of the nodes`]),
    ...(gone === 0 ? [] : [`has ${gone} nodes that are not in the files any more`]),
  ];
  return parts.join(" and ");
}
