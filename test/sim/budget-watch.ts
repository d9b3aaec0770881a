import { type Book, settled } from "../../shared/accounting/index.ts";
import type {
  ArchivedPlan,
  BudgetSettings,
  ClusterConfig,
  Snapshot,
  Stored,
} from "../../shared/ports/index.ts";
import type { Run } from "./fleet.ts";

const daySeconds = 86_400;
/** A snapshot may be a little older than the accounts, by another machine's clock. */
const marginSeconds = 60;

/** What was counted at a moment of a day: of all jobs, which name no account here, and of each node array. */
interface Counted {
  readonly asOfSeconds: number;
  readonly day: number;
  readonly jobsUsd: number;
  readonly arrayUsd: ReadonlyMap<string, number>;
}

/**
 * What must be true of every plan under a budget that holds: once the accounts say that it is spent, and a snapshot was taken
 * since, no job of it gets a place that it does not have already, and no node is made or started in its node array. That nothing
 * that runs is stopped is checked for all nodes elsewhere.
 */
export class BudgetWatch {
  readonly #report: (violation: string) => void;
  readonly #counted: Counted[] = [];
  /** Plans that a spent budget held. */
  held = 0;

  constructor(report: (violation: string) => void) {
    this.#report = report;
  }

  onSaved(saved: Book): void {
    const { asOfSeconds, day } = settled(saved);
    const arrayUsd = new Map<string, number>();
    let jobsUsd = 0;
    for (const { purpose, nodeArray, nanoUsd } of day.lines) {
      arrayUsd.set(nodeArray, (arrayUsd.get(nodeArray) ?? 0) + nanoUsd / 1e9);
      if (purpose === "job") jobsUsd += nanoUsd / 1e9;
    }
    this.#counted.push({ asOfSeconds, day: day.fromSeconds, jobsUsd, arrayUsd });
  }

  onPlan(run: Run, archived: ArchivedPlan): void {
    const config = run.saw.get("configs.load") as ClusterConfig | undefined;
    const snapshot = run.saw.get("snapshots.load") as Stored<Snapshot> | undefined;
    const budgets = config?.cycle.budgets ?? [];
    if (archived.archive !== "whole" || snapshot === undefined || budgets.length === 0) return;
    const { nowSeconds } = archived.input;
    const known = this.#counted.findLast(
      ({ asOfSeconds, day }) =>
        asOfSeconds <= snapshot.value.takenAtSeconds - marginSeconds && nowSeconds - day < daySeconds,
    );
    if (known === undefined) return;
    for (const budget of budgets) if (budget.hold) this.#check(budget, known, archived);
  }

  #check(
    { name, of, usd }: BudgetSettings,
    { jobsUsd, arrayUsd }: Counted,
    { input, plan }: ArchivedPlan & { readonly archive: "whole" },
  ): void {
    const isOfArray = of?.dimension === "nodeArray";
    const spentUsd = isOfArray ? (arrayUsd.get(of.name) ?? 0) : jobsUsd;
    if (spentUsd < usd) return;
    this.held += 1;
    const said = `plan: budget "${name}" is spent (${spentUsd} of ${usd} USD), and`;
    if (isOfArray) {
      const made = [...plan.create, ...plan.start].filter(({ nodeArray }) => nodeArray === of.name);
      if (made.length > 0) this.#report(`${said} nodes are made in "${of.name}"`);
      return;
    }
    plan.jobs.forEach(({ name: job, granted }, place) => {
      const running = input.jobs[place]?.executingHostnames.length ?? 0;
      if (granted > running)
        this.#report(`${said} job "${job}" gets ${granted} places; it runs on ${running}`);
    });
  }
}
