/** The newest order for a host, and when it was decided. */
interface Order {
  readonly isOut: boolean;
  readonly atSeconds: number;
}

/** An event of the queue `events-<source>`, as far as a scheduler obeys it. */
export interface HostEvent {
  readonly kind: string;
  readonly atSeconds: number;
  readonly nodes: readonly { readonly hostname: string | null }[];
}

/** Which hosts take no new jobs. Events come late, twice and out of order: of two about a host, the later one counts. */
export class Drains {
  readonly #orders = new Map<string, Order>();

  /** Records an event about existing hosts. Returns those to which it was news. */
  obey({ kind, atSeconds, nodes }: HostEvent, isHere: (hostname: string) => boolean): readonly string[] {
    if (kind !== "drain" && kind !== "undrain") return [];
    const news = nodes.flatMap(({ hostname }) => {
      if (hostname === null || !isHere(hostname)) return [];
      const order = this.#orders.get(hostname);
      return order === undefined || order.atSeconds < atSeconds ? [hostname] : [];
    });
    for (const hostname of news) this.#orders.set(hostname, { isOut: kind === "drain", atSeconds });
    return news;
  }

  isOut(hostname: string): boolean {
    return this.#orders.get(hostname)?.isOut ?? false;
  }

  /** What a scheduler reports of a host, with the time of the event that it obeys, if there was one. */
  stateOf(
    hostname: string,
    { isBusy }: { readonly isBusy: boolean },
  ): { readonly state: "up" | "draining" | "drained"; readonly eventAtSeconds?: number } {
    const order = this.#orders.get(hostname);
    if (order === undefined) return { state: "up" };
    const out = isBusy ? "draining" : "drained";
    return { state: order.isOut ? out : "up", eventAtSeconds: order.atSeconds };
  }

  forget(hostname: string): void {
    this.#orders.delete(hostname);
  }
}
