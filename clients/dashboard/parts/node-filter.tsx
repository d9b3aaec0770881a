import { useMemo } from "preact/hooks";
import type { NodeView } from "../../../shared/api/index.ts";
import { nodeWhereKeys } from "../../../shared/names/where-keys.ts";
import type { Place } from "../place.ts";
import { counted } from "../words.ts";
import { useAnnounced } from "./announce.tsx";
import { offersOf, WhereBox } from "./where-box.tsx";

/** The line that filters nodes. `items`: those that it leaves, as far as they are loaded. */
export function NodeFilter(props: {
  readonly place: Place;
  readonly items: readonly Pick<NodeView, "nodeArray" | "state" | "vmSize">[] | undefined;
  readonly isWhole: boolean;
}) {
  const { place, items = [], isWhole } = props;
  const offers = useMemo(
    () => [
      ...offersOf(
        "array",
        items.map(({ nodeArray }) => nodeArray),
      ),
      ...offersOf(
        "state",
        items.map(({ state }) => state),
      ),
      ...offersOf(
        "size",
        items.map(({ vmSize }) => vmSize),
      ),
    ],
    [props.items],
  );
  useAnnounced(place.options.where ?? "", isWhole ? `${counted(items.length, "node")} shown.` : undefined);
  return (
    <WhereBox
      place={place}
      keys={nodeWhereKeys}
      example="state:idle array:htc user:ann cost>10"
      offers={offers}
    />
  );
}
