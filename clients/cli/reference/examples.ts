/** A command line of the command page. Tests run every one of them. */
export interface Example {
  /** As it is typed, without `ccscale`. Words with blanks or brackets stand in single quotes. */
  readonly line: string;
  readonly does: string;
  /**
   * What a test runs it on. `files`: an archive of a cluster. `service`: the HTTP API. `local`: a running local environment.
   * `nothing`: this machine alone.
   */
  readonly on: "files" | "service" | "local" | "nothing";
}

/** By command. */
export const examples: Readonly<Record<string, readonly Example[]>> = {
  status: [{ line: "status", does: "what is wrong, and how it goes", on: "files" }],
  nodes: [
    {
      line: "nodes --nodearray htc --state 'Ready,Fail*'",
      does: "nodes of an array in some states",
      on: "files",
    },
    {
      line: "nodes -o 'name,vm@vm_size[9:],/ncpus,*memgb,job_ids[:20]:idle'",
      does: "columns of your own: a heading, slices, left of all, left, a default",
      on: "files",
    },
    { line: "nodes -C node.keep_alive=true --format csv", does: "for a spreadsheet", on: "files" },
  ],
  buckets: [
    { line: "buckets", does: "every limit as left/most, and the one that binds", on: "files" },
    {
      line: "buckets -o 'nodearray,vm_size,available_count,binding,*family'",
      does: "cores left of the family's quota",
      on: "files",
    },
  ],
  limits: [
    { line: "limits --format json", does: "for a script", on: "files" },
    { line: "limits -C 'node.vm_size=Standard_F*'", does: "what bounds nodes of these sizes", on: "files" },
  ],
  jobs: [
    { line: "jobs --state waiting --limit 20", does: "the first that wait, and why", on: "files" },
    { line: "jobs -N htc-1", does: "what runs there, or has a place there", on: "files" },
  ],
  demand: [
    { line: "demand", does: "what would be done now", on: "files" },
    { line: "demand --nodearray htc", does: "the nodes of an array, and what is about them", on: "files" },
  ],
  plans: [
    { line: "plans --limit 5", does: "the newest", on: "files" },
    { line: "plans last", does: "what the newest decided, and what became of it", on: "files" },
  ],
  history: [
    { line: "history htc-1", does: "since when it is there, and what was asked about it", on: "files" },
    {
      line: "history --nodearray htc -C node.keep_alive=true",
      does: "the same of several nodes",
      on: "files",
    },
  ],
  operations: [
    { line: "operations --open", does: "what is on its way", on: "files" },
    {
      line: "operations -N 'htc-[5-9]'",
      does: "who asked for these nodes, and what became of it",
      on: "files",
    },
  ],
  "rejects list": [
    { line: "rejects list --local", does: "messages that were refused or given up", on: "local" },
  ],
  explain: [
    { line: "explain 1202", does: "why it waits, and what would make it fit", on: "files" },
    { line: "explain --target htc", does: "why a target is not met, or what it has", on: "files" },
  ],
  "validate-constraint": [
    {
      line: "validate-constraint 'node.vm_size=Standard_F*' memgb=4",
      does: "which buckets and nodes satisfy both",
      on: "files",
    },
  ],
  "what-if": [
    {
      line: `what-if --job '{"constraints": {"ncpus": 2}, "iterations": 10}'`,
      does: "ten slots more: which nodes would come?",
      on: "files",
    },
  ],
  autoscale: [
    {
      line: "autoscale --name htc --instancecount 4 --dry-run --local",
      does: "what the plan would do for four nodes, whatever jobs need",
      on: "local",
    },
  ],
  "create-nodes": [
    {
      line: "create-nodes --count 2 --nodearray htc --keep-alive",
      does: "two that nobody but you may delete",
      on: "service",
    },
    {
      line: "create-nodes --slots 100 -C ncpus=2 -C memgb=8 --dry-run",
      does: "what a hundred slots would need",
      on: "service",
    },
    {
      line: "create-nodes --count 8 --strategy scatter --name-format 'bench-%d' --dry-run",
      does: "eight of one size, or none",
      on: "service",
    },
  ],
  "delete-nodes": [
    {
      line: "delete-nodes -N 'htc-1*' --dry-run",
      does: "which of them would go, and which not, and why",
      on: "service",
    },
    {
      line: "delete-nodes --hostname ip-0A000005 --force --yes",
      does: "also when jobs run there",
      on: "service",
    },
  ],
  "remove-nodes": [{ line: "remove-nodes -N htc-7 --yes", does: "for good, its record too", on: "service" }],
  drain: [
    {
      line: "drain --nodearray htc -C 'node.vm_size=Standard_F*'",
      does: "no more jobs there",
      on: "service",
    },
  ],
  undrain: [{ line: "undrain -N htc-3", does: "takes jobs again", on: "service" }],
  start: [{ line: "start -N htc-3 --wait", does: "and waits until it is seen to start", on: "service" }],
  deallocate: [{ line: "deallocate --nodearray viz --yes", does: "rest over the weekend", on: "service" }],
  restart: [{ line: "restart -N htc-3 --yes", does: "boots it again", on: "service" }],
  reimage: [{ line: "reimage -N htc-3 --yes", does: "gives it a fresh disk", on: "service" }],
  "retry-failed": [
    { line: "retry-failed --nodearray htc", does: "boots what failed once more", on: "service" },
  ],
  "keep-alive on": [
    { line: "keep-alive on -N htc-3 --reason 'core dump'", does: "stays until you let it go", on: "service" },
  ],
  "keep-alive off": [{ line: "keep-alive off -N htc-3", does: "goes when it is idle", on: "service" }],
  ignore: [{ line: "ignore -N htc-3 --reason 'disk test'", does: "leaves it alone", on: "service" }],
  unignore: [{ line: "unignore -N htc-3", does: "takes care of it again", on: "service" }],
  pause: [
    {
      line: "pause --reason 'quota talks' --local",
      does: "sends nothing until resume",
      on: "local",
    },
  ],
  resume: [
    {
      line: "resume --reason 'quota is here' --local",
      does: "lets it go on",
      on: "local",
    },
  ],
  "config init": [
    {
      line: "config init --cluster-name hpc --server-url https://cyclecloud.example.com --username autoscale --slots node.vcpu_count",
      does: "a configuration to start from",
      on: "nothing",
    },
  ],
  "config show": [{ line: "config show --local", does: "what the service reads", on: "local" }],
  "support-archive": [
    {
      line: "support-archive --local",
      does: "a zip beside you, without secrets",
      on: "local",
    },
  ],
  completion: [
    { line: "completion bash", does: "for ~/.bashrc: source <(ccscale completion bash)", on: "nothing" },
  ],
};

/** The words of a line, as a shell would split it. */
export function wordsOf(line: string): readonly string[] {
  return [...line.matchAll(/'([^']*)'|(\S+)/g)].map(([, quoted, plain]) => quoted ?? plain ?? "");
}
