import type { ClustersAnswer } from "../../../shared/api/index.ts";
import { linkTo } from "../place.ts";
import { usePolled } from "../service/polled.ts";

export function KnownClusters() {
  const { answer } = usePolled<ClustersAnswer>("clusters");
  return (
    <p>
      {answer === undefined || answer.clusters.length === 0 ? null : (
        <>
          Configured:{" "}
          {answer.clusters.map(({ cluster }, index) => [
            index > 0 ? ", " : "",
            <a key={cluster} href={linkTo({ cluster })}>
              {cluster}
            </a>,
          ])}
          .{" "}
        </>
      )}
      <a href={linkTo({})}>All clusters</a>
    </p>
  );
}
