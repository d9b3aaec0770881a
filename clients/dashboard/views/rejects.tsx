import type { RejectsAnswer } from "../../../shared/api/index.ts";
import { Ago, Shown } from "../parts/state.tsx";
import { Table } from "../parts/table.tsx";
import type { Place } from "../place.ts";
import { pathOf } from "../service/call.ts";
import { usePolled } from "../service/polled.ts";

/** Messages that were refused or given up. */
export function Rejects({ cluster }: { readonly place: Place; readonly cluster: string }) {
  const polled = usePolled<RejectsAnswer>(`${pathOf("clusters", cluster, "rejects")}?limit=100`);
  return (
    <>
      <h1>Rejects</h1>
      <Shown polled={polled}>
        {({ rejections, atSeconds }) => (
          <Table
            caption="Rejected messages, newest first"
            rows={rejections}
            keyOf={({ rejectionId }) => rejectionId}
            none="No message was refused."
            columns={[
              {
                title: "Came",
                cell: ({ receivedAtSeconds }) => <Ago at={receivedAtSeconds} now={atSeconds} />,
              },
              { title: "Kind", cell: ({ kind }) => kind },
              { title: "Source", cell: ({ source }) => source ?? "unknown" },
              { title: "Problems", cell: ({ problems }) => problems.join(" ") },
              { title: "Begins", cell: ({ excerpt }) => <code>{excerpt}</code> },
            ]}
          />
        )}
      </Shown>
    </>
  );
}
