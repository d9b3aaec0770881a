/** The newest order for a host, and when it was decided. */
interface Order {
  readonly isOut: boolean;
  readonly atSeconds: number;
}

/** An event of the queue `events-<source>`, as far as a scheduler obeys it. */
export interface NodeEvent {
  readonly kind: string;
  readonly atSeconds: number;
  readonly nodes: readonly { readonly hostname: string | null }[];
}

/** Which hosts take no new tasks. Events come late, twice and out of order: of two about a host, the later one counts. */
export class Drains {
  readonly #orders = new Map<string, Order>();

  /** Records an event about existing hosts. Returns whether it changed anything. */
  obey({ kind, atSeconds, nodes }: NodeEvent, isHere: (hostname: string) => boolean): boolean {
    if (kind !== "drain" && kind !== "undrain") return false;
    const news = nodes.flatMap(({ hostname }) => {
      if (hostname === null || !isHere(hostname)) return [];
      const order = this.#orders.get(hostname);
      return order === undefined || order.atSeconds < atSeconds ? [hostname] : [];
    });
    for (const hostname of news) this.#orders.set(hostname, { isOut: kind === "drain", atSeconds });
    return news.length > 0;
  }

  isOut(hostname: string): boolean {
    return this.#orders.get(hostname)?.isOut ?? false;
  }

  /** When the order that the host obeys was decided; undefined when it never got one. */
  eventAtSeconds(hostname: string): number | undefined {
    return this.#orders.get(hostname)?.atSeconds;
  }

  forget(hostnames: readonly string[]): void {
    for (const hostname of hostnames) this.#orders.delete(hostname);
  }
}
