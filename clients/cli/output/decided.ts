import type { DemandAnswer } from "../../../shared/api/index.ts";
import type { Retirement } from "../../../shared/engine/index.ts";
import { groupsAlike, jobsAlike } from "./alike.ts";
import { ago } from "./moments.ts";
import type { Page } from "./report.ts";

type Decided = Pick<
  DemandAnswer,
  "create" | "sizes" | "start" | "retire" | "retry" | "waiting" | "waitingCount" | "warnings"
> &
  Partial<Pick<DemandAnswer, "selected">>;

/** The decisions of a plan for people: what is created, started, deleted and retried, and which jobs wait and why. */
export function decidedOn(
  page: Page,
  decided: Decided,
  { nowSeconds, isAll = false }: { readonly nowSeconds: number; readonly isAll?: boolean },
): void {
  page.title("Actions");
  const actions = actionLines(decided, nowSeconds);
  if (actions.length === 0) page.line("none");
  else page.bullets(actions);
  if (decided.sizes.length > 0) {
    page.title("Why these sizes");
    page.bullets(decided.sizes);
  }
  waitingOn(page, decided, isAll);
  if (decided.warnings.length > 0) {
    page.title("Warnings");
    page.bullets(decided.warnings.map(({ subject, message }) => `${subject}: ${message}`));
  }
}

/** Jobs that did not get all, with their reasons; those that wait for the same together, unless each is wanted (`isAll`). */
function waitingOn(
  page: Page,
  { waiting, waitingCount, selected }: Pick<Decided, "waiting" | "waitingCount" | "selected">,
  isAll: boolean,
): void {
  if (waitingCount === 0) return;
  const chosen = selected == null ? "" : `, ${selected.waitingCount} of them with a part of their place here`;
  const isCut = (selected?.waitingCount ?? waitingCount) > waiting.length;
  page.title(
    `Waiting: ${waitingCount} ${waitingCount === 1 ? "job" : "jobs"}${chosen}${isCut ? `, the first ${waiting.length} of them` : ""}`,
  );
  const alike = groupsAlike(
    waiting,
    ({ asked, granted, why }) => JSON.stringify([granted === 0 || [asked, granted], reasonsOf(why)]),
    isAll ? Number.POSITIVE_INFINITY : 2,
  );
  for (const group of alike) {
    const [{ asked, granted, why }] = group;
    const got = `got ${granted} of ${asked}`;
    const said = granted === 0 ? { one: "waits", many: "wait" } : { one: got, many: `${got} each` };
    page.line(
      jobsAlike(
        group.map(({ job }) => job),
        said,
      ),
    );
    page.bullets(reasonsOf(why));
  }
}

function actionLines({ create, start, retire, retry }: Decided, nowSeconds: number): readonly string[] {
  return [
    ...create.map(({ count, vmSize, nodeArray, placementGroup, names, keepAlive }) => {
      const group = placementGroup === null ? "" : ` in ${placementGroup}`;
      return `create ${count} ${vmSize} of ${nodeArray}${group}${keepAlive ? ", keep-alive" : ""}: ${range(names)}`;
    }),
    ...start.map(({ name }) => `start ${name}`),
    ...retire.map(
      ({ name, cause, sinceSeconds, verb }) =>
        `${goingVerb(verb)} ${name} (${cause}, since ${ago(sinceSeconds, nowSeconds)})`,
    ),
    ...retry.map(({ name }) => `retry ${name}`),
  ];
}

export function goingVerb(verb: Retirement["verb"]): string {
  return verb === "deallocate" ? "deallocate" : "delete";
}

/** Without the first sentence, which only states that the job waits. */
export function reasonsOf(why: readonly string[]): readonly string[] {
  return why.length > 1 ? why.slice(1) : why;
}

const mostNames = 8;

function range(names: readonly string[]): string {
  if (names.length <= mostNames) return names.join(", ");
  return `${names.slice(0, mostNames).join(", ")}, … (${names.length - mostNames} more)`;
}
