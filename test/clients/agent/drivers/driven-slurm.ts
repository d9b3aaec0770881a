import { slurm as kind } from "../../../../clients/agent/drivers/slurm/slurm.ts";
import type { Slurm } from "../../../support/machines/slurm.ts";
import { Driven } from "./driven.ts";

/** The driver beside a real controller. */
export class DrivenSlurm extends Driven {
  constructor(slurm: Pick<Slurm, "run">, section: object) {
    super(kind, section, slurm.run);
  }
}
