import type { ExplainAnswer } from "../../api/index.ts";
import {
  type JobOutcome,
  type LimitFigure,
  type PlanInput,
  plan,
  type Reason,
  survey,
  withoutLimit,
} from "../../engine/index.ts";
import { counted } from "../../text/text.ts";
import { outlookJobs, unitOf, waits } from "../job-states.ts";
import type { Outlook } from "../outlook.ts";
import { shown } from "./cause.ts";
import { backOffOf, bindingFigure, moreOf } from "./limit-causes.ts";
import { limitKnob, limitSubject, limitWords } from "./limit-words.ts";
import { wantedBy } from "./what-is-wanted.ts";

export type Raise = NonNullable<ExplainAnswer["raise"]>;
type Step = Raise["limits"][number];

/** Each costs a plan; a bucket has no more limits that bind one after the other in practice. */
const mostLimits = 5;

/**
 * Which limits of the first bucket that lacks room have to be raised, one after the other, and what the job has then: each
 * is taken away and the plan made again, because raising one only shows which is next. Others get their turn between two
 * plans. Null: no limit keeps the job waiting.
 */
export async function limitsToRaise(
  outlook: Outlook,
  { job: name, source }: Pick<ExplainAnswer, "job" | "source">,
): Promise<Raise | null> {
  const each = outlookJobs(outlook).find(({ job }) => job.name === name && job.source === source);
  if (each === undefined || !waits(each.outcome)) return null;
  const { job } = each;
  const index = outlook.input.jobs.indexOf(job);
  const steps: Step[] = [];
  let input: PlanInput = outlook.input;
  let outcome: JobOutcome = each.outcome;
  let bucket: Reason["bucket"] = null;
  while (steps.length < mostLimits) {
    const binding = nextBinding(outlook, input, outcome, bucket);
    if (binding === undefined || steps.some((step) => isSame(step, binding.figure))) break;
    const { reason, figure, size } = binding;
    bucket = reason.bucket;
    input = withoutLimit(input, figure);
    await new Promise((resolve) => setImmediate(resolve));
    const after = plan(input).jobs[index];
    if (after === undefined) break;
    const { limit, scope, unit, used, max } = figure;
    const more = moreOf(reason, wantedBy(job, outcome), { survey: size, figure });
    outcome = after;
    steps.push({ limit, scope, unit, used, max, more, granted: outcome.granted });
    if (!waits(outcome)) break;
  }
  if (steps.length === 0) return null;
  const { asked, granted } = outcome;
  const before = each.outcome.granted;
  return { limits: steps, asked, granted, text: wordsOf(steps, { asked, before, unit: unitOf(job) }) };
}

function isSame(step: Step, { limit, scope, unit }: LimitFigure): boolean {
  return step.limit === limit && step.scope === scope && step.unit === unit;
}

/** The limit that keeps the bucket from giving more, or that of the first bucket that lacks room. */
function nextBinding(outlook: Outlook, input: PlanInput, outcome: JobOutcome, bucket: Reason["bucket"]) {
  const surveys = input === outlook.input ? outlook.buckets() : survey(input);
  for (const reason of outcome.reasons) {
    if (reason.code !== "NoCapacity" || backOffOf(outlook, reason) !== undefined) continue;
    const isOfSize = ({ nodeArray, vmSize }: NonNullable<Reason["bucket"]>) =>
      nodeArray === reason.bucket?.nodeArray && vmSize === reason.bucket.vmSize;
    if (bucket !== null && !isOfSize(bucket)) continue;
    // What a placement group itself holds nobody can raise; all else is the same for each group of a size.
    const size = surveys.find(isOfSize);
    const figure = bindingFigure(size, reason.limit);
    if (figure !== undefined && limitKnob(figure) !== null) return { reason, figure, size };
  }
  return undefined;
}

interface Words {
  readonly asked: number;
  /** Places before anything is raised. */
  readonly before: number;
  readonly unit: string;
}

function wordsOf(steps: readonly Step[], { asked, before, unit }: Words): string {
  const [first, ...rest] = steps;
  const last = steps.at(-1);
  if (first === undefined || last === undefined) return "";
  const knob = limitKnob(first) ?? "";
  const all = asked === 1 ? `it has its place` : `all ${counted(asked, unit)} have a place`;
  const isEnough = last.granted >= asked;
  if (rest.length === 0) {
    if (isEnough) return `With ${knob} raised that far, ${all}.`;
    return `Raising ${knob} alone gives ${placesOf(first.granted, asked, unit)}; what else holds it up is not a limit to raise.`;
  }
  const alone =
    first.granted > before
      ? `Raising ${knob} alone gives ${placesOf(first.granted, asked, unit)}`
      : `Raising ${knob} alone does not help`;
  const then = rest.map((step, index) => `${index === 0 ? "then" : "after that"} ${bindsNext(step)}`);
  const end = isEnough ? all : `it has ${placesOf(last.granted, asked, unit)}`;
  return `${alone}: ${then.join("; ")}. With ${steps.length === 2 ? "both" : `all ${steps.length}`} raised, ${end}.`;
}

function placesOf(granted: number, asked: number, unit: string): string {
  return `a place for ${granted} of ${counted(asked, unit)}`;
}

function bindsNext(step: Step): string {
  const { limit, used, max, unit, more } = step;
  const noun = limitSubject(step);
  if (limitWords(limit).hasNoFigures) return `${noun} binds`;
  const units = unit === "usd" ? "USD" : unit;
  const short = more === null ? "" : `, ${shown(more)} more ${more === 1 ? "is" : "are"} needed`;
  return `${noun} binds: ${shown(used)} of ${shown(max)} ${units} are used${short}`;
}
