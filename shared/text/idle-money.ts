import { counted } from "./text.ts";

interface IdleNodes {
  readonly nodes: number;
  /** Null: the price is not known. */
  readonly usdPerHour: number | null;
}

/** Of a time, in the terms of the API. */
interface PaidBeside {
  readonly kind: "deallocated" | "reserved";
  readonly name: string;
  readonly usd: number;
  readonly nodeHours: number;
  readonly unpricedNodeHours: number;
}

/** What was paid beside nodes that ran, a line each. */
export function besideWords(all: readonly PaidBeside[], money: (usd: number) => string): readonly string[] {
  return all.map(({ kind, name, usd, nodeHours, unpricedNodeHours }) => {
    const what =
      kind === "deallocated"
        ? `Disks of deallocated nodes of "${name}"`
        : `Reserved by "${name}" and not used`;
    const paid = unpricedNodeHours === nodeHours ? "price not known" : money(usd);
    const some =
      unpricedNodeHours === 0 || unpricedNodeHours === nodeHours
        ? ""
        : `, ${unpricedNodeHours.toFixed(1)} of them without a price`;
    return `${what}, in no sum: ${paid}, ${nodeHours.toFixed(1)} node-hours${some}`;
  });
}

/** Money that is in no sum: reserved nodes that nobody runs, and disks of deallocated ones. `money` writes US dollars. */
export function idleMoneyWords(
  {
    unusedReservations,
    deallocatedNodes,
  }: { readonly unusedReservations: IdleNodes; readonly deallocatedNodes: IdleNodes },
  money: (usd: number) => string,
): readonly string[] {
  const line = (what: string, { nodes, usdPerHour }: IdleNodes) => {
    const hourly = usdPerHour === null ? "price not known" : `${money(usdPerHour)} an hour`;
    return nodes === 0 ? [] : [`${what} in no sum: ${counted(nodes, "nodes")}, ${hourly}`];
  };
  return [
    ...line("Reserved and not used,", unusedReservations),
    ...line("Deallocated, their disks", deallocatedNodes),
  ];
}
