import { describe, expect, test } from "vitest";
import { plan } from "../../../shared/engine/index.ts";
import { array, bucket, cluster, input, job } from "./tiny.ts";

const sizes = [bucket({ available: 1 }), bucket({ vcpus: 120, vmSize: "Standard_HB120rs_v3", available: 1 })];
const world = cluster({ nodeArrays: [array({ buckets: sizes })] });

describe("reasons in an archived plan", () => {
  test("are one of each kind, that of the bucket that came closest", () => {
    const result = plan(input({ cluster: world, jobs: [job("j", { ncpus: 130 })] }));
    expect(result.jobs[0]?.reasons).toHaveLength(2);
    const archived = JSON.parse(JSON.stringify(result)) as { jobs: { reasons: unknown[] }[] };
    expect(archived.jobs[0]?.reasons).toMatchObject([{ code: "InsufficientResource", left: 120 }]);
  });

  test("are shared by the jobs of one shape that wait for the same cause", () => {
    const jobs = ["a", "b"].map((name) => job(name, { ncpus: 130 }));
    const [first, second] = plan(input({ cluster: world, jobs })).jobs;
    expect(first?.reasons).toBe(second?.reasons);
  });
});
