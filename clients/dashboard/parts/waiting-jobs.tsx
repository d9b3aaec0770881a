import type { WaitingJobView } from "../../../shared/api/index.ts";
import { linkTo } from "../place.ts";
import { count } from "../words.ts";
import { Table } from "./table.tsx";

/** Jobs that did not get all they asked for, each with a link to its explanation. */
export function WaitingJobs(props: {
  readonly cluster: string;
  readonly waiting: readonly WaitingJobView[];
  readonly none: string;
  readonly whyOf: (why: readonly string[]) => string | undefined;
}) {
  const { cluster, waiting, none, whyOf } = props;
  return (
    <Table
      caption="Jobs that wait"
      rows={waiting}
      keyOf={({ job }) => job}
      none={none}
      columns={[
        {
          title: "Job",
          cell: ({ job }) => <a href={linkTo({ cluster, view: "jobs", subject: job })}>{job}</a>,
        },
        {
          title: "Has",
          isNumber: true,
          cell: ({ granted, asked }) => `${count(granted)} of ${count(asked)}`,
        },
        { title: "Why", cell: ({ why }) => whyOf(why) },
      ]}
    />
  );
}
