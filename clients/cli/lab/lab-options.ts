import { type Command, InvalidArgumentError } from "commander";
import { shellWord } from "../../../shared/text/shell-word.ts";
import { printable } from "../../../shared/text/text.ts";
import { NotFound } from "../exit-code.ts";
import { localEnvironmentFile, localOption } from "../local-environment.ts";
import { pageOn } from "../output/report.ts";
import { clusterOption } from "../service/service-options.ts";
import type { Terminal } from "../terminal.ts";
import { connectPanel, type Panel, type PanelFlags } from "./panel.ts";
import type { PanelCluster, PanelNodeArray } from "./panel-state.ts";

/** The options of every command of the lab. No address can be given: only a local environment may be broken. */
export function labOptions(command: Command): Command {
  return command
    .addOption(localOption(`the local environment to use (default: ${localEnvironmentFile})`))
    .addOption(clusterOption("a cluster of it other than the first"));
}

/** Runs a change and prints what it did, and how it is taken back. */
export async function change(
  terminal: Terminal,
  flags: PanelFlags,
  make: (panel: Panel, cluster: PanelCluster) => Promise<{ readonly done: string; readonly back?: string }>,
): Promise<void> {
  const panel = await connectPanel(flags);
  const { cluster } = await panel.read();
  const { done, back } = await make(panel, cluster);
  const page = pageOn(terminal);
  page.line(done);
  if (back !== undefined) page.line(`Back: ccscale lab ${back}${placeOptions(flags)}`);
}

/** The options that lead to the same cluster, as somebody types them. */
function placeOptions({ local, cluster }: PanelFlags): string {
  return [
    ...(typeof local === "string" ? [` --local ${shellWord(local)}`] : []),
    ...(cluster === undefined ? [] : [` --cluster ${shellWord(cluster)}`]),
  ].join("");
}

/** A node array by its name. Throws NotFound that lists them. */
export function arrayOf({ nodeArrays }: PanelCluster, name: string): PanelNodeArray {
  const nodeArray = nodeArrays.find((array) => array.name === name);
  if (nodeArray !== undefined) return nodeArray;
  throw new NotFound(
    `The simulator has no node array "${printable(name)}", only ${nodeArrays.map((array) => array.name).join(", ")}`,
    "Check the spelling.",
  );
}

/** Which sizes of an array are meant: those that are named, with or without `Standard_`; without names, all. */
export function sizesOf({ name, machineTypes }: PanelNodeArray, given: readonly string[]): readonly string[] {
  if (given.length === 0) return machineTypes;
  return given.map((size) => {
    const machineType = machineTypes.find((each) => each === size || each === `Standard_${size}`);
    if (machineType !== undefined) return machineType;
    throw new NotFound(
      `Node array "${name}" has no VM size "${printable(size)}", only ${machineTypes.join(", ")}`,
      'Check the spelling; "ccscale lab sizes" adds a size.',
    );
  });
}

/** `30%` or `0.3`, from 0 to 1. */
export function shareOption(text: string): number {
  const [, percent] = /^(\d+(?:\.\d+)?)%$/.exec(text) ?? [];
  const share = percent === undefined ? Number(text) : Number(percent) / 100;
  if (text.trim() !== "" && share > 0 && share <= 1) return share;
  throw new InvalidArgumentError(`"${text}", expected a share such as 30% or 0.3.`);
}

/** A number above 0. */
export function factorOption(text: string): number {
  const factor = Number(text);
  if (text.trim() !== "" && Number.isFinite(factor) && factor > 0) return factor;
  throw new InvalidArgumentError(`"${text}", expected a number above 0, such as 5.`);
}
