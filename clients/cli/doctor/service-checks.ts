import type { ClustersAnswer } from "../../../shared/api/index.ts";
import { exactDuration } from "../../../shared/text/durations.ts";
import { counted } from "../../../shared/text/text.ts";
import { CommandFailure, Forbidden } from "../exit-code.ts";
import { loginName } from "../login-name.ts";
import type { Service } from "../service/service.ts";
import { version } from "../version.ts";
import type { Checked } from "./checked.ts";

/** Agents date what they post. A minute is far from what makes a difference, and what no clock that is kept has. */
const mostClockSeconds = 60;

/**
 * Whether the service can be reached and understood from here. `clusters` undefined: it cannot, and nothing more is known.
 * On its storage account (`isStorage`) this process answers itself: its release and clock are none of the service's.
 */
export async function checkService(
  ask: () => Promise<ClustersAnswer>,
  { nowSeconds, isStorage }: { readonly nowSeconds: () => number; readonly isStorage: boolean },
): Promise<{ readonly checked: readonly Checked[]; readonly clusters: readonly string[] | undefined }> {
  try {
    const { release, atSeconds, clusters } = await ask();
    const names = clusters.map(({ cluster }) => cluster);
    const unasked = "The function app was not asked: its storage account answers.";
    if (isStorage)
      return {
        checked: [{ check: "service", cluster: null, state: "notice", text: unasked, next: null }],
        clusters: names,
      };
    return {
      checked: [checkRelease(release, names.length), checkClock(atSeconds - nowSeconds())],
      clusters: names,
    };
  } catch (error) {
    return { checked: [failed(error, { check: "service", cluster: null })], clusters: undefined };
  }
}

function checkRelease(release: string, clusters: number): Checked {
  const check = { check: "service", cluster: null };
  if (release === version)
    return {
      ...check,
      state: "ok",
      text: `Release ${release} answers, with ${counted(clusters, "clusters")}.`,
      next: null,
    };
  return {
    ...check,
    state: "failed",
    text: `ccscale (${version}) and the service (${release}) are different releases.`,
    next: "Upgrade the older one.",
  };
}

function checkClock(aheadSeconds: number): Checked {
  const check = { check: "clock", cluster: null };
  const off = Math.abs(aheadSeconds);
  if (off <= mostClockSeconds)
    return {
      ...check,
      state: "ok",
      text: `This machine's clock is within ${mostClockSeconds} s of the service's.`,
      next: null,
    };
  return {
    ...check,
    state: "failed",
    text: `This machine's clock is ${exactDuration(Math.round(off))} ${aheadSeconds > 0 ? "behind" : "ahead of"} the service's.`,
    next: "Let chrony or systemd-timesyncd keep it: what an agent here posts carries its time.",
  };
}

/** Whether the caller may act on a cluster, or only read; nothing is done. */
export async function checkRights(service: Service): Promise<Checked> {
  const about = { check: "rights", cluster: service.cluster };
  if (service.isHere === true) {
    const text = "This login may read. What it may change cannot be known here.";
    return { ...about, state: "notice", text, next: null };
  }
  const body = { kind: "resume", by: loginName(), reason: "ccscale doctor", dryRun: true };
  try {
    await service.ask("actions", { body });
    return { ...about, state: "ok", text: "This login may read and act.", next: null };
  } catch (error) {
    if (error instanceof Forbidden)
      return { ...about, state: "notice", text: "This login may read, and not act.", next: error.next };
    return failed(error, about);
  }
}

/** What a check came to that got no answer. Throws what is no failure of the service. */
export function failed(error: unknown, about: Pick<Checked, "check" | "cluster">): Checked {
  if (!(error instanceof CommandFailure)) throw error;
  const text = error.message.endsWith(".") ? error.message : `${error.message}.`;
  return { ...about, state: "failed", text, next: error.next };
}
