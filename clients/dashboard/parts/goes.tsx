import type { NodeView } from "../../../shared/api/index.ts";
import { keeperWords } from "../../../shared/text/keeper-words.ts";
import { localTime } from "../words.ts";
import { Ago } from "./state.tsx";

/** Why a node will go, and when; or why it stays, or what is wrong with it. */
export function Goes(props: {
  readonly node: Pick<
    NodeView,
    "kept" | "ignored" | "draining" | "deleteAtSeconds" | "operation" | "state" | "failure"
  >;
  readonly now: number;
}) {
  const { node, now } = props;
  const { state, failure, kept, ignored, draining, deleteAtSeconds, operation } = node;
  if (operation !== null) return <>{`${operation.kind}: ${operation.state}`}</>;
  if (draining !== null) return <span title={draining.reason ?? undefined}>{draining.phase}</span>;
  if (ignored) return <>ignored</>;
  if (state === "Failed" && failure?.message) return <span title={failure.message}>{failure.message}</span>;
  const [keeper] = kept;
  if (keeper !== undefined) return <span title={keeper.reason}>{keeperWords(keeper, localTime)}</span>;
  if (deleteAtSeconds === null) return <>–</>;
  return deleteAtSeconds <= now ? <>with the next plan</> : <Ago at={deleteAtSeconds} now={now} />;
}
