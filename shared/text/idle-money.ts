import { counted } from "./text.ts";

interface IdleNodes {
  readonly nodes: number;
  /** Null: the price is not known. */
  readonly usdPerHour: number | null;
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
