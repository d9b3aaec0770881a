import type { Happening, Stage } from "../scenario.ts";
import { range } from "./cluster.ts";

/** Somebody who asks for targets again and again, as a cron job does. */
export interface Wishes {
  readonly cluster: string;
  readonly requestSet: string;
  readonly untilSeconds: number;
  readonly everySeconds: number;
  /** Node array definitions of the moment. */
  readonly at: (seconds: number) => readonly Readonly<Record<string, unknown>>[];
}

/** Every request as a happening. They may be lost, late or doubled like any message; the next one makes up for it. */
export function asking({
  cluster,
  requestSet,
  untilSeconds,
  everySeconds,
  at,
}: Wishes): readonly Happening[] {
  return range(Math.floor(untilSeconds / everySeconds)).map((sequence) => {
    const atSeconds = 5 + sequence * everySeconds;
    return {
      atSeconds,
      what: `${requestSet} asks for targets`,
      happens: (stage: Stage) =>
        stage.put({
          version: 1,
          kind: "targets",
          cluster,
          source: requestSet,
          sequence,
          requestSet,
          sentAt: new Date(stage.nowSeconds * 1000).toISOString(),
          arrays: at(atSeconds),
        }),
    };
  });
}

/** The floor has to be there by now, in nodes that are up: names of nodes tell whom they are accounted to. */
export function floorIsMet(
  cluster: string,
  atSeconds: number,
  floor: Readonly<Record<string, number>>,
): Happening {
  return {
    atSeconds,
    what: "the floor has to be there",
    happens: (stage) => {
      const up = stage.cloud.nodes(cluster).filter(({ status, isWanted }) => status === "Ready" && isWanted);
      for (const [account, count] of Object.entries(floor)) {
        const own = up.filter(({ name }) => name.replace(/-\d+$/, "") === account).length;
        if (own < count) stage.violate(`${cluster}: ${own} nodes of ${account} are up, ${count} are wanted`);
      }
    },
  };
}
