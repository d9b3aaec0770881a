import { nodeActions } from "../commands/node-actions.ts";
import type { Example } from "./command-example.ts";
import { labExamples } from "./lab-examples.ts";

export const examples: Readonly<Record<string, readonly Example[]>> = {
  status: [{ line: "status", does: "problems first, then the state of the cluster", isShown: true }],
  top: [{ line: "top", does: "the cluster live; in a pipe it says what to use instead", isShown: true }],
  clusters: [{ line: "clusters", does: "which there are, and whether they scale", isShown: true }],
  nodes: [
    { line: "nodes", does: "all nodes", isShown: true },
    { line: "nodes --nodearray htc --state 'Ready,Fail*'", does: "nodes of an array in some states" },
    {
      line: "nodes -o 'name,vm@vm_size[9:],/ncpus,*memgb,job_ids[:20]:idle'",
      does: "your own columns: a heading, slices, left of total, left, a default",
      isShown: true,
    },
    {
      line: "nodes -a htc -o name,running_job_ids:-,planned_job_ids:-",
      does: "jobs that run there, and jobs that the plan has placed there",
    },
    { line: "nodes -C 'node.vm_size=Standard_D*' --format csv", does: "for a spreadsheet" },
    { line: "nodes --idle --sort -idle --limit 20", does: "the 20 that have been idle longest" },
    { line: "nodes --held", does: "kept, drained and ignored nodes: by whom, until when and why" },
    { line: "nodes --summary", does: "how many of what, and what an hour of them costs", isShown: true },
  ],
  buckets: [
    { line: "buckets", does: "every limit as left/max, and the one that binds", isShown: true },
    {
      line: "buckets -o 'nodearray,vm_size,available_count,binding,*family'",
      does: "cores left of the family's quota",
    },
    { line: "buckets --boots", does: "what fails most when it boots, and what is slowest", isShown: true },
  ],
  limits: [
    { line: "limits", does: "every limit once", isShown: true },
    { line: "limits -C 'node.vm_size=Standard_F*'", does: "limits of nodes of these sizes" },
    { line: "limits --shared", does: "who has what of the quotas that clusters share" },
    { line: "limits --format jsonl", does: "for a script" },
  ],
  prices: [
    { line: "prices", does: "regular, spot, per core, source, date, reserved nodes", isShown: true },
    { line: "prices -o nodearray,vm_size,usd,source", does: "the price that counts" },
  ],
  jobs: [
    { line: "jobs", does: "all jobs of all sources", isShown: true },
    { line: "jobs --state waiting --limit 20", does: "the first waiting jobs, and why they wait" },
    { line: "jobs --summary", does: "how many wait, and for which reasons", isShown: true },
    { line: "jobs -N htc-1", does: "jobs that run or have a place there" },
  ],
  demand: [
    { line: "demand", does: "what would be done now", isShown: true },
    { line: "demand --nodearray htc", does: "what concerns the nodes of an array; --nodes lists them too" },
  ],
  cost: [
    { line: "cost --by user", does: "this month, by user", isShown: true },
    { line: "cost --by array,size --from 2027-01-15", does: "since a day, by node array and VM size" },
    { line: "cost --by account,array", does: "by account, and in each by node array", isShown: true },
    { line: "cost --job 1200", does: "what a job has cost until now", isShown: true },
    { line: "cost --reconcile", does: "by day, beside what CycleCloud counts", isShown: true },
    { line: "cost --by job", does: "what whole jobs cost until now", isShown: true },
    {
      line: "cost --user ada --by job --from 2027-01-15",
      does: "a bill by job since a day; 7d: of the last 7 days",
    },
    {
      line: "cost --by node --from 2027-01-15 --limit 10",
      does: "the nodes of a day that cost most, with what each cost while it idled",
    },
    { line: "cost --format focus", does: "this month in the columns of FOCUS, as CSV" },
  ],
  plans: [
    { line: "plans --limit 1", does: "the newest" },
    { line: "plans --at 1s", does: "what had been decided a second ago; also 14:02, or a date" },
    { line: "plans last", does: "the decisions of the newest plan, and their outcome", isShown: true },
    {
      line: "plans diff 20261122T100000.000Z-0a1b2c last",
      does: "what the newest plan decides otherwise than an earlier one",
      isShown: true,
    },
  ],
  history: [
    { line: "history htc-1", does: "when it was first seen, and what was requested for it", isShown: true },
    { line: "history -N 'viz-*'", does: "the same of several nodes" },
    { line: "history --week -a htc", does: "the last seven days of a node array", isShown: true },
  ],
  events: [
    { line: "events --since 2d", does: "what happened, newest first", isShown: true },
    { line: "events --since 2d --kind drain,undrain,keep-alive", does: "what was decided about nodes" },
    { line: "events --since 2d --node htc-1", does: "what happened to a node" },
    {
      line: "events --since 28d --kind node-lost --summary",
      does: "evictions and other losses by week",
    },
    {
      line: "events --since 28d --by-job",
      does: "the same by week and job, also of jobs that are over; of present jobs: `jobs -o job,evictions`",
    },
  ],
  operations: [
    { line: "operations --since 2h", does: "of the last two hours" },
    { line: "operations", does: "requests to CycleCloud", isShown: true },
    { line: "operations --open", does: "what is not finished" },
    { line: "operations -N 'htc-[5-8]'", does: "who requested these nodes, and the outcome" },
  ],
  "rejects list": [{ line: "rejects list", does: "rejected messages", isShown: true }],
  "rejects show": [
    {
      line: "rejects show 01234567-89ab-4cde-8f01-23456789abcd",
      does: "the problems of one, and the message itself",
      isShown: true,
    },
  ],
  "rejects replay": [
    {
      line: "rejects replay 01234567-89ab-4cde-8f01-23456789abcd --file fixed.json --yes",
      does: "posts the fixed message in its place",
      isShown: true,
    },
    {
      line: "rejects replay 01234567-89ab-4cde-8f01-23456789abcd --file fixed.json --dry-run",
      does: "only shows what it would post",
    },
  ],
  explain: [
    { line: "explain 1202", does: "why it waits, and what would make it fit", isShown: true },
    { line: "explain 1203", does: "why it has only some of its places" },
    { line: "explain --target viz", does: "why a target is not met, or what it has" },
  ],
  "validate-constraint": [
    {
      line: "validate-constraint 'node.vm_size=Standard_F*' memgb=4",
      does: "which buckets and nodes satisfy both",
      isShown: true,
    },
  ],
  "what-if": [
    {
      line: `what-if --job '{"constraints": {"ncpus": 2}, "iterations": 10}'`,
      does: "which nodes ten more slots would create",
    },
  ],
  quote: [
    {
      line: `quote --job '{"constraints": {"ncpus": 2, "node.nodearray": "viz"}, "iterations": 8, "runtimeSeconds": 3600}'`,
      does: "what an hour of eight slots of viz would cost, and the alternatives",
    },
  ],
  usage: [
    { line: "usage --timeframe lastMonth", does: "last month, by node array", isShown: true },
    {
      line: "usage --granularity daily --from 2026-11-01T00:00:00Z --to 2026-11-03T00:00:00Z --format csv",
      does: "day by day, for a spreadsheet",
    },
  ],
  autoscale: [
    {
      line: "autoscale --name viz --corecount 16",
      does: "sixteen cores of viz for the next five minutes",
      isShown: true,
    },
    { line: "autoscale --name viz --corecount 0", does: "releases them" },
    {
      line: "autoscale --name viz --instancecount 9 --dry-run",
      does: "what the plan would do for nine nodes, whatever jobs need",
    },
  ],
  "create-nodes": [
    {
      line: "create-nodes --count 1 --nodearray viz --name-format login-%d --keep-alive --wait",
      does: "one that only you may delete",
      isShown: true,
    },
    {
      line: "create-nodes --slots 100 -C ncpus=2 -C memgb=8 --dry-run",
      does: "what a hundred slots would need",
    },
    {
      line: "create-nodes --count 2 --strategy scatter --name-format 'bench-%d' --dry-run",
      does: "two of one size, or none",
    },
  ],
  ...Object.fromEntries(nodeActions.map(({ name, examples }) => [name, examples] as const)),
  push: [
    { line: "push jobs.json --source sge --dry-run", does: "checks it and only shows what it would post" },
    { line: "push jobs.json --source sge --cluster hpc --print", does: "the message that would be posted" },
    { line: "push jobs.json --source sge", does: "all jobs that sge wants now", isShown: true },
  ],
  pause: [
    { line: "pause --reason 'quota talks'", does: "sends nothing until resume" },
    { line: "pause --reason 'the app is down' --storage --dry-run", does: "also while the app is down" },
    {
      line: "pause --for 1h --reason 'quota talks' --dry-run",
      does: "goes on by itself after an hour",
      isShown: true,
    },
  ],
  resume: [{ line: "resume --reason 'quota is here'", does: "lets it go on" }],
  "stop-rolling": [
    { line: "stop-rolling --reason 'the image is bad'", does: "drains no more nodes", isShown: true },
  ],
  "config init": [
    {
      line: "config init --cluster-name hpc --server-url https://cyclecloud.example.com --username autoscale --slots node.vcpu_count",
      does: "a configuration to start from",
      isShown: true,
    },
  ],
  "config validate": [{ line: "config validate autoscale.json", does: "checks it on this machine" }],
  "config push": [
    { line: "config push autoscale.json --dry-run", does: "what would change", isShown: true },
    { line: "config push autoscale.json --yes", does: "stores it for the service" },
  ],
  "config get": [{ line: "config get idle_timeout", does: "one value" }],
  "config set": [
    {
      line: "config set idle_timeout.htc 600 --yes --by ann",
      does: "shows what differs and what would come of it, and stores it",
      isShown: true,
    },
    { line: "config set read_only true --dry-run", does: "only shows it" },
  ],
  "config history": [{ line: "config history", does: "who changed what, when and why", isShown: true }],
  "config unset": [{ line: "config unset idle_timeout.htc --dry-run", does: "the default would hold again" }],
  "config rollback": [{ line: "config rollback 1 --yes --by ann", does: "stores version 1 again" }],
  "schedules list": [{ line: "schedules list", does: "what each keeps, and its window" }],
  "schedules next": [
    { line: "schedules next --for 7d", does: "what is kept in the next seven days, and from when" },
  ],
  "schedules add": [
    {
      line: "schedules add office --start '0 8 * * mon-fri' --end '0 18 * * mon-fri' --time-zone Europe/Berlin --keep htc=4 --yes",
      does: "four nodes in office hours",
    },
  ],
  "schedules pause": [{ line: "schedules pause office --yes", does: "nothing of it holds until it goes on" }],
  "schedules remove": [{ line: "schedules remove office --yes", does: "it is gone" }],
  "config show": [{ line: "config show", does: "the stored configuration" }],
  "support-archive": [
    {
      line: "support-archive --output hpc.zip",
      does: "a zip without secrets",
      isShown: true,
    },
    {
      line: "explain 1202 --offline hpc.zip",
      does: "every command that shows something works on it, without the cluster",
    },
  ],
  "migrate azslurm": [
    {
      line: "migrate azslurm etc-slurm",
      does: "what is taken over, what is different, what has no counterpart",
      isShown: true,
    },
  ],
  "migrate azge": [
    {
      line: "migrate azge --autoscale autoscale.json -a htc memory",
      does: "with the node arrays whose nodes join",
    },
  ],
  "migrate azpbs": [
    {
      line: "migrate azpbs --autoscale autoscale.json",
      does: "the same from another scheduler",
    },
  ],
  "migrate compare": [
    {
      line: "migrate compare --since 7d",
      does: "by hour what azslurm did and what was planned here meanwhile, and why they differ",
    },
  ],
  "slurm config": [
    {
      line: "slurm config --agent agent.json",
      does: "nodes and partitions of Slurm, each key with its reason",
      isShown: true,
    },
  ],
  agent: [
    {
      line: "agent --config agent.json --once --dry-run",
      does: "what it reads from the scheduler and would post",
    },
  ],
  doctor: [
    { line: "doctor", does: "after a deployment, or when something is odd", isShown: true },
    { line: "doctor --format json", does: "for monitoring; exit code 1 if a check failed" },
  ],
  mcp: [
    { line: "mcp", does: "for an assistant that starts it: asked and answered by stdin and stdout" },
    { line: "mcp --allow-actions", does: "the same, and it may act on nodes: first shown, then carried out" },
  ],
  backtest: [
    {
      line: "backtest --trace tiny.swf --fixed-processors 4 --scheduler easy --print schedule",
      does: "when each job starts on four processors",
      isShown: true,
    },
  ],
  plan: [{ line: "plan --scenario two-sizes.json", does: "the plan of a recorded situation", isShown: true }],
  replay: [
    {
      line: "replay --plan 20261122T100000.000Z-0a1b2c",
      does: "whether this release decides as that plan did",
      isShown: true,
    },
    {
      line: "replay --plan 20261122T100000.000Z-0a1b2c --set placement=cost",
      does: "what another setting would have changed",
      isShown: true,
    },
  ],
  ...labExamples,
  columns: [{ line: "columns limits", does: "a start for your own columns", isShown: true }],
  version: [{ line: "version", does: "of this program, and of the service that CCSCALE_URL names" }],
  completion: [{ line: "completion bash", does: "for ~/.bashrc: source <(ccscale completion bash)" }],
};
