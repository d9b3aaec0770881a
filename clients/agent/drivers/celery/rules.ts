import type { CelerySettings, Constraints } from "./celery-settings.ts";
import type { CeleryTask } from "./replies.ts";

export type Headers = Readonly<Record<string, unknown>>;

/** What a task needs, and the rule that says so: its place in the configuration, from 1. */
export interface Need {
  readonly rule: string;
  readonly constraints: Constraints;
}

/**
 * First fit over the rules of the configuration. Remembers what headers decided, because nobody shows the headers of a task
 * that runs.
 */
export class NeedChooser {
  /** Constraints that a header chose, by task id: of every task that was asked for. */
  readonly remembered = new Map<string, Constraints>();
  readonly #settings: CelerySettings;
  readonly #before: ReadonlyMap<string, Constraints>;

  constructor(settings: CelerySettings, before: ReadonlyMap<string, Constraints>) {
    this.#settings = settings;
    this.#before = before;
  }

  choose(task: CeleryTask, headers: Headers): Need {
    const { rules, default_constraints } = this.#settings;
    const index = rules.findIndex((rule) => fits(rule, task, headers));
    const rule = rules[index];
    if (rule?.headers === undefined && task.id !== undefined) {
      const before = this.#before.get(task.id);
      if (before !== undefined) return this.#remember(task.id, { rule: "by header", constraints: before });
    }
    if (rule === undefined) return { rule: "default", constraints: default_constraints };
    const need = { rule: `rule ${index + 1}`, constraints: rule.constraints };
    return rule.headers === undefined || task.id === undefined ? need : this.#remember(task.id, need);
  }

  #remember(id: string, need: Need): Need {
    this.remembered.set(id, need.constraints);
    return need;
  }
}

function fits(rule: CelerySettings["rules"][number], task: CeleryTask, headers: Headers): boolean {
  if (rule.task !== undefined && (task.name === undefined || !matches(rule.task, task.name))) return false;
  if (rule.queue !== undefined && rule.queue !== task.queue) return false;
  return Object.entries(rule.headers ?? {}).every(([name, value]) => String(headers[name]) === String(value));
}

function matches(pattern: string, name: string): boolean {
  return pattern.endsWith("*") ? name.startsWith(pattern.slice(0, -1)) : name === pattern;
}
