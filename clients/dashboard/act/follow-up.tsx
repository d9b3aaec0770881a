import type { ActionAnswer, OperationView } from "../../../shared/api/index.ts";
import { pathOf } from "../service/call.ts";
import { usePolled } from "../service/polled.ts";

const words: Readonly<Record<OperationView["state"], string>> = {
  planned: "recorded",
  sent: "sent to the executor",
  accepted: "accepted by CycleCloud",
  visible: "done: a snapshot shows its effect",
  failed: "refused by CycleCloud",
  lost: "lost: no effect was seen",
  dropped: "dropped: it was out of date when its turn came",
};

export function FollowUp({ cluster, answer }: { readonly cluster: string; readonly answer: ActionAnswer }) {
  return (
    <ul aria-live="polite">
      {answer.actions.map(({ actionId, kind }) =>
        actionId === null ? null : (
          <Followed key={actionId} cluster={cluster} actionId={actionId} kind={kind} />
        ),
      )}
    </ul>
  );
}

function Followed(props: { readonly cluster: string; readonly actionId: string; readonly kind: string }) {
  const { cluster, actionId, kind } = props;
  const { answer, error } = usePolled<OperationView>(pathOf("clusters", cluster, "operations", actionId));
  const state = answer === undefined ? (error?.message ?? "asking…") : words[answer.state];
  return (
    <li>
      {kind}: {state}
      {answer?.messages.map((message) => (
        <span key={message} class="quiet">
          {" "}
          {message}
        </span>
      ))}
    </li>
  );
}
