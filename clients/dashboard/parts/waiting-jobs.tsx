import type { PlanAnswer } from "../../../shared/api/index.ts";
import { linkTo } from "../place.ts";
import { count } from "../words.ts";
import { Table } from "./table.tsx";

/** Jobs that did not get all they asked for: the first for each reason, with a link to its explanation and to all of them now. */
export function WaitingJobs(props: {
  readonly cluster: string;
  readonly groups: readonly PlanAnswer["waitingFor"][number][];
  /** What the view of jobs is to show of those that wait for the same. */
  readonly allOf: (reason: string) => Readonly<Record<string, string>>;
}) {
  const { cluster, groups, allOf } = props;
  return (
    <Table
      caption="Jobs that wait"
      rows={groups}
      rowKey={({ reason }) => reason}
      none="No job waits."
      columns={[
        [
          "Jobs",
          ({ reason, jobs, first: { job, granted, asked } }) => (
            <>
              <a href={linkTo({ cluster, view: "jobs", subject: job })}>{job}</a>{" "}
              <a class="quiet" href={linkTo({ cluster, view: "jobs", options: allOf(reason) })}>
                {jobs > 1 ? `and ${count(jobs - 1)} more` : `has ${count(granted)} of ${count(asked)}`}
              </a>
            </>
          ),
        ],
        // The first sentence names the job.
        ["Why", ({ first: { why } }) => (why.length > 1 ? why.slice(1) : why).join(" "), "long"],
      ]}
    />
  );
}
