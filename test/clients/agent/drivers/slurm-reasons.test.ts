import { expect, test } from "vitest";
import { helpWith } from "../../../../clients/agent/drivers/slurm/reasons.ts";
import { readSlurm, waitingJob } from "./slurm-reading.ts";

/** Every name that a release of Slurm from 22.05 to 26.05 has for what a job waits for. */
const limits = words(`
    AssocGrpBB AssocGrpBBMinutes AssocGrpBBRunMinutes AssocGrpBilling AssocGrpBillingMinutes AssocGrpBillingRunMinutes
    AssocGrpCPUMinutesLimit AssocGrpCPURunMinutesLimit AssocGrpCpuLimit AssocGrpEnergy AssocGrpEnergyMinutes
    AssocGrpEnergyRunMinutes AssocGrpGRES AssocGrpGRESMinutes AssocGrpGRESRunMinutes AssocGrpJobsLimit AssocGrpLicense
    AssocGrpLicenseMinutes AssocGrpLicenseRunMinutes AssocGrpMemLimit AssocGrpMemMinutes AssocGrpMemRunMinutes
    AssocGrpNodeLimit AssocGrpNodeMinutes AssocGrpNodeRunMinutes AssocGrpSubmitJobsLimit AssocGrpUnknown
    AssocGrpUnknownMinutes AssocGrpUnknownRunMinutes AssocGrpWallLimit AssocMaxBBMinutesPerJob AssocMaxBBPerJob
    AssocMaxBBPerNode AssocMaxBillingMinutesPerJob AssocMaxBillingPerJob AssocMaxBillingPerNode
    AssocMaxCpuMinutesPerJobLimit AssocMaxCpuPerJobLimit AssocMaxCpuPerNode AssocMaxEnergyMinutesPerJob AssocMaxEnergyPerJob
    AssocMaxEnergyPerNode AssocMaxGRESMinutesPerJob AssocMaxGRESPerJob AssocMaxGRESPerNode AssocMaxJobsLimit
    AssocMaxLicenseMinutesPerJob AssocMaxLicensePerJob AssocMaxMemMinutesPerJob AssocMaxMemPerJob AssocMaxMemPerNode
    AssocMaxNodeMinutesPerJob AssocMaxNodePerJobLimit AssocMaxSubmitJobLimit AssocMaxUnknownMinutesPerJob
    AssocMaxUnknownPerJob AssocMaxUnknownPerNode AssocMaxWallDurationPerJobLimit AssociationJobLimit
    AssociationResourceLimit AssociationTimeLimit MaxBBPerAccount MaxBBRunMinsPerAccount MaxBBRunMinsPerUser
    MaxBillingPerAccount MaxBillingRunMinsPerAccount MaxBillingRunMinsPerUser MaxCpuPerAccount MaxCpuRunMinsPerAccount
    MaxCpuRunMinsPerUser MaxEnergyPerAccount MaxEnergyRunMinsPerAccount MaxEnergyRunMinsPerUser MaxGRESPerAccount
    MaxGRESRunMinsPerAccount MaxGRESRunMinsPerUser MaxJobsPerAccount MaxLicensePerAccount MaxLicenseRunMinsPerAccount
    MaxLicenseRunMinsPerUser MaxMemoryPerAccount MaxMemoryRunMinsPerAccount MaxMemoryRunMinsPerUser MaxNodePerAccount
    MaxNodeRunMinsPerAccount MaxNodeRunMinsPerUser MaxSubmitJobsPerAccount MaxUnknownPerAccount MaxUnknownRunMinsPerAccount
    MaxUnknownRunMinsPerUser QOSGrpBB QOSGrpBBMinutes QOSGrpBBRunMinutes QOSGrpBilling QOSGrpBillingMinutes
    QOSGrpBillingRunMinutes QOSGrpCPUMinutesLimit QOSGrpCPURunMinutesLimit QOSGrpCpuLimit QOSGrpEnergy QOSGrpEnergyMinutes
    QOSGrpEnergyRunMinutes QOSGrpGRES QOSGrpGRESMinutes QOSGrpGRESRunMinutes QOSGrpJobsLimit QOSGrpLicense
    QOSGrpLicenseMinutes QOSGrpLicenseRunMinutes QOSGrpMemLimit QOSGrpMemoryMinutes QOSGrpMemoryRunMinutes QOSGrpNodeLimit
    QOSGrpNodeMinutes QOSGrpNodeRunMinutes QOSGrpSubmitJobsLimit QOSGrpUnknown QOSGrpUnknownMinutes QOSGrpUnknownRunMinutes
    QOSGrpWallLimit QOSJobLimit QOSMaxBBPerJob QOSMaxBBPerNode QOSMaxBBPerUser QOSMaxBillingMinutesPerJob
    QOSMaxBillingPerJob QOSMaxBillingPerNode QOSMaxBillingPerUser QOSMaxCpuMinutesPerJobLimit QOSMaxCpuPerJobLimit
    QOSMaxCpuPerNode QOSMaxCpuPerUserLimit QOSMaxEnergyMinutesPerJob QOSMaxEnergyPerJob QOSMaxEnergyPerNode
    QOSMaxEnergyPerUser QOSMaxGRESMinutesPerJob QOSMaxGRESPerJob QOSMaxGRESPerNode QOSMaxGRESPerUser QOSMaxJobsPerUserLimit
    QOSMaxLicenseMinutesPerJob QOSMaxLicensePerJob QOSMaxLicensePerUser QOSMaxMemoryMinutesPerJob QOSMaxMemoryPerJob
    QOSMaxMemoryPerNode QOSMaxMemoryPerUser QOSMaxNodeMinutesPerJob QOSMaxNodePerJobLimit QOSMaxNodePerUserLimit
    QOSMaxSubmitJobPerUserLimit QOSMaxUnknownMinutesPerJob QOSMaxUnknownPerJob QOSMaxUnknownPerNode QOSMaxUnknownPerUser
    QOSMaxWallDurationPerJobLimit QOSMinBB QOSMinBilling QOSMinCpuNotSatisfied QOSMinEnergy QOSMinGRES QOSMinLicense
    QOSMinMemory QOSMinNode QOSMinUnknown QOSNotAllowed QOSResourceLimit QOSTimeLimit QOSUsageThreshold
`);
const others = words(`
    AccountNotAllowed AccountingPolicy BadConstraints BeginTime BlockFreeAction BlockMaxError BurstBufferOperation
    BurstBufferResources BurstBufferStageIn Cleaning Constraints DeadLine Dependency DependencyNeverSatisfied FedJobLock
    FrontEndDown InactiveLimit InvalidAccount InvalidQOS JobArrayTaskLimit JobHeldAdmin JobHeldUser JobHoldMaxRequeue
    JobLaunchFailure Licenses MaxMemPerLimit MaxPoweredUpNodes MpiPortsBusy NodeDown NonZeroExitCode None NvidiaImexChannels
    OutOfMemory PartitionConfig PartitionDown PartitionInactive PartitionNodeLimit PartitionTimeLimit PowerNotAvail
    PowerReserved Priority Prolog RaisedSignal ReqNodeNotAvail Reservation ReservationDeleted ReservationInvalid Resources
    SchedDefer SystemFailure TimeLimit
`);

function words(text: string): readonly string[] {
  return text.trim().split(/\s+/);
}

test(`the ${limits.length} limits of QOS and associations: no node helps`, () => {
  expect(limits.filter((name) => helpWith(name, "") !== "does-not-help")).toEqual([]);
});

test("every other reason is decided", () => {
  const decided = Object.groupBy(others, (name) => helpWith(name, "") ?? "unknown");
  expect(decided).toMatchInlineSnapshot(`
    {
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
      "may-help": [
        "Constraints",
        "JobArrayTaskLimit",
        "NodeDown",
        "None",
        "Priority",
        "ReqNodeNotAvail",
        "Resources",
      ],
      "wait": [
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
    }
  `);
});

test("a node that is asked for and away helps; one that is reserved for maintenance does not", () => {
  expect(helpWith("ReqNodeNotAvail", "ReqNodeNotAvail, UnavailableNodes:htc-[1-3]")).toBe("may-help");
  expect(helpWith("ReqNodeNotAvail", "ReqNodeNotAvail, Reserved for maintenance")).toBe("does-not-help");
  const reading = readSlurm({
    jobs: [
      waitingJob({
        state_reason: "ReqNodeNotAvail",
        state_description: "ReqNodeNotAvail, Reserved for maintenance",
      }),
    ],
  });
  expect(reading).toMatchObject({ jobs: [], setAside: [] });
});

test("a reason of a newer release buys nothing, and the log names it", () => {
  const reading = readSlurm({ jobs: [waitingJob({ state_reason: "MoonPhase" })] });
  expect(reading).toMatchObject({
    jobs: [],
    setAside: [
      {
        record: "job 7",
        reason: 'reason "MoonPhase" is not known: nothing is bought before Slurm has another',
      },
    ],
  });
});

test.each([
  ["AccountingPolicy", 0],
  ["MaxCpuPerAccount", 0],
  ["FedJobLock", 0],
  ["Cleaning", 0],
  ["Priority", 1],
  ["", 1],
])("a job with reason %j is %i job of demand", (reason, count) => {
  expect(readSlurm({ jobs: [waitingJob({ state_reason: reason })] })).toMatchObject({
    jobs: Array.from({ length: count }, () => ({ name: "7" })),
    setAside: [],
  });
});
