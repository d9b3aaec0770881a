import { meanings } from "../scheduler-words.ts";

/**
 * What a pending job's reason means for demand. Slurm's names of releases 22.05 to 26.05; it may have named the reason before
 * it looked at the job again, so only those are here that say nothing about what else the record has (hold, dependency, time).
 */
export type Help =
  /** Its nodes are not there, or other jobs have them. */
  | "may-help"
  /** Limits, mistakes, people and the future. */
  | "does-not-help"
  /** Slurm is busy with the job, or has not looked at it since it was put back into the queue: the next pass tells. */
  | "wait";

const names: Readonly<Record<Help, readonly string[]>> = {
  "may-help": [
    // Slurm has not looked at it.
    "",
    "None",
    "Priority",
    "Resources",
    "ReqNodeNotAvail",
    "NodeDown",
    "Constraints",
    // The array's own limit (%N) is worked out from its tasks.
    "JobArrayTaskLimit",
  ],
  "does-not-help": [
    "AccountNotAllowed",
    "AccountingPolicy",
    "BadConstraints",
    "BeginTime",
    "BlockFreeAction",
    "BlockMaxError",
    "BurstBufferOperation",
    "BurstBufferResources",
    "BurstBufferStageIn",
    "DeadLine",
    "Dependency",
    "DependencyNeverSatisfied",
    "FedJobLock",
    "InvalidAccount",
    "InvalidQOS",
    "JobHeldAdmin",
    "JobHeldUser",
    "JobHoldMaxRequeue",
    "JobLaunchFailure",
    "Licenses",
    "MaxMemPerLimit",
    "MaxPoweredUpNodes",
    "PartitionConfig",
    "PartitionDown",
    "PartitionInactive",
    "PartitionNodeLimit",
    "PartitionTimeLimit",
    "PowerNotAvail",
    "PowerReserved",
    "Reservation",
    "ReservationDeleted",
    "ReservationInvalid",
  ],
  wait: [
    "Cleaning",
    "FrontEndDown",
    "InactiveLimit",
    "MpiPortsBusy",
    "NonZeroExitCode",
    "NvidiaImexChannels",
    "OutOfMemory",
    "Prolog",
    "RaisedSignal",
    "SchedDefer",
    "SystemFailure",
    "TimeLimit",
  ],
};

const byName = meanings(names);

/** Limits of a QOS or an association: 170 names, from `AssocGrpBB` to `QOSUsageThreshold`, and these without such a beginning. */
const limit =
  /^(QOS|Assoc)|^Max(BB|Billing|Cpu|Energy|GRES|Jobs|License|Memory|Node|SubmitJobs|Unknown)(RunMins)?Per(Account|User)$/;

/** Undefined: a name of a release that is newer than this table. */
export function helpWith(reason: string, description: string): Help | undefined {
  if (description.includes("Reserved for maintenance")) return "does-not-help";
  return byName.get(reason) ?? (limit.test(reason) ? "does-not-help" : undefined);
}

/** For a job that needs more nodes than there are records of; where nodes register themselves, more may come. */
export function isForMoreNodes(reason: string): boolean {
  return reason === "PartitionConfig" || reason === "PartitionNodeLimit";
}

/** It is of one partition of a job; another may take it. */
export function isOfPartition(reason: string): boolean {
  return reason.startsWith("Partition") || reason === "MaxMemPerLimit";
}
