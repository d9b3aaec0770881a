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

/** What was paid beside nodes that ran: a line for each kind and name, whose times are added up. */
export function besideWords(all: readonly PaidBeside[], money: (usd: number) => string): readonly string[] {
  const groups = Map.groupBy(all, ({ kind, name }) =>
    kind === "deallocated" ? `Disks of deallocated nodes of "${name}"` : `Reserved by "${name}" and not used`,
  );
  return [...groups].map(([what, times]) => {
    const sum = (of: (each: PaidBeside) => number) => times.reduce((total, each) => total + of(each), 0);
    const nodeHours = sum((each) => each.nodeHours);
    const unpriced = sum((each) => each.unpricedNodeHours);
    const paid = unpriced === nodeHours ? "price not known" : money(sum(({ usd }) => usd));
    const some =
      unpriced === 0 || unpriced === nodeHours ? "" : `, ${unpriced.toFixed(1)} of them without a price`;
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
