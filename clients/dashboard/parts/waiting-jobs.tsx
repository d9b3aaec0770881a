import type { WaitingJobView } from "../../../shared/api/index.ts";
import { linkTo } from "../place.ts";
import { count } from "../words.ts";
import { Table } from "./table.tsx";

/** Jobs that did not get all they asked for: the first for each reason, with a link to its explanation. */
export function WaitingJobs(props: {
  readonly cluster: string;
  readonly waiting: readonly WaitingJobView[];
}) {
  const { cluster, waiting } = props;
  const jobsOf = new Map<string, WaitingJobView[]>();
  for (const each of waiting) {
    const reason = each.why.at(-1) ?? "";
    jobsOf.set(reason, [...(jobsOf.get(reason) ?? []), each]);
  }
  return (
    <Table
      caption="Jobs that wait"
      rows={[...jobsOf]}
      rowKey={([reason]) => reason}
      none="No job waits."
      columns={[
        {
          title: "Jobs",
          cell: ([, jobs]) =>
            jobs.slice(0, 1).map(({ job, granted, asked }) => (
              <>
                <a href={linkTo({ cluster, view: "jobs", subject: job })}>{job}</a>{" "}
                <span class="quiet">
                  {jobs.length > 1
                    ? `and ${count(jobs.length - 1)} more`
                    : `has ${count(granted)} of ${count(asked)}`}
                </span>
              </>
            )),
        },
        { title: "Why", isLong: true, cell: ([reason]) => reason },
      ]}
    />
  );
}
