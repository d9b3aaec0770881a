import { type JobRecord, jobRecord, type NodeRecord } from "./pbs-records.ts";
import { parseExecVnode } from "./select.ts";

/**
 * Confirmed reservations as jobs that run on the hosts that they hold: PBS starts other jobs beside them. Only where `pbsnodes` says that
 * the host is theirs, too: a list that was cut short, or the next date of a standing reservation, leaves the others held as a whole.
 *
 * @param printed what `pbs_rstat -f` printed: a record for each, with lines of `name = value`.
 */
export function reservationsIn(printed: string, nodes: readonly NodeRecord[]): readonly JobRecord[] {
  const resvOf = new Map(nodes.map(({ name, resv }) => [name, resv]));
  const [, ...texts] = `\n${printed}`.split("\nResv ID: ");
  return texts.flatMap((text): readonly JobRecord[] => {
    const [id = "", ...lines] = text.split("\n");
    const fieldOf = (name: string) =>
      lines.find((line) => line.startsWith(`${name} = `))?.slice(name.length + 3) ?? "";
    const shares = fieldOf("resv_nodes").split("+");
    const parts = shares.map((share) => parseExecVnode(share)?.[0]?.vnode);
    const isHeld = (vnode: string | undefined) => vnode !== undefined && resvOf.get(vnode)?.includes(id);
    const held = shares.filter((_, index) => isHeld(parts[index]));
    if (held.length === 0) return [];
    const record = jobRecord.parse({
      job_state: "R",
      queue: fieldOf("queue"),
      exec_vnode: held.join("+"),
      Resource_List: { place: fieldOf("Resource_List.place") },
      euser: fieldOf("euser"),
      Job_Name: id,
    });
    return [{ ...record, id }];
  });
}
