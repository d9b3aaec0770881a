import type { RejectionView, RejectsAnswer } from "../../../shared/api/index.ts";
import { Ago, Shown } from "../parts/state.tsx";
import { Table } from "../parts/table.tsx";
import { byAge, TurnPages } from "../parts/turn-pages.tsx";
import { linkTo, type Place } from "../place.ts";
import { addressOf, pathOf } from "../service/call.ts";
import { usePolled } from "../service/polled.ts";
import { counted } from "../words.ts";
import { Reject } from "./reject.tsx";

const pageSize = "100";

export function Rejects({ place, cluster }: { readonly place: Place; readonly cluster: string }) {
  if (place.subject !== undefined)
    return <Reject key={place.subject} cluster={cluster} rejectionId={place.subject} />;
  return <List place={place} cluster={cluster} />;
}

function List({ place, cluster }: { readonly place: Place; readonly cluster: string }) {
  const { cursor = "" } = place.options;
  const polled = usePolled<RejectsAnswer>(
    addressOf(pathOf("clusters", cluster, "rejects"), { limit: pageSize, cursor }),
  );
  return (
    <>
      <h1>Rejects</h1>
      <Shown polled={polled}>
        {({ rejections, atSeconds, next }) => (
          <>
            <Table
              caption="Rejected messages, newest first"
              rows={rejections}
              rowKey={({ rejectionId }) => rejectionId}
              none="No message was refused."
              columns={[
                [
                  "Came",
                  ({ rejectionId, receivedAtSeconds }) => (
                    <a href={linkTo({ cluster, view: "rejects", subject: rejectionId })}>
                      <Ago at={receivedAtSeconds} now={atSeconds} />
                    </a>
                  ),
                ],
                ["Kind", ({ kind }) => kind],
                ["Source", ({ source }) => source ?? "unknown"],
                ["Problems", problemsInShort, "long"],
                ["Begins", ({ excerpt }) => <code>{excerpt.slice(0, 200)}</code>, "long"],
                [
                  "Sent again",
                  ({ replayedAtSeconds }) =>
                    replayedAtSeconds === undefined ? "–" : <Ago at={replayedAtSeconds} now={atSeconds} />,
                ],
              ]}
            />
            <TurnPages place={place} next={next} titles={byAge} />
          </>
        )}
      </Shown>
    </>
  );
}

function problemsInShort({ problems: [first = "", ...others] }: RejectionView): string {
  return others.length === 0 ? first : `${first} (and ${counted(others.length, "more", "more")})`;
}
