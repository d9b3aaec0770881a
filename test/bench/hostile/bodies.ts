import { resolveIncludes } from "../../../shared/config/resolve-includes.ts";
import { checkDemand } from "../../../shared/cycle/index.ts";
import { MemoryDemandUploads } from "../../../shared/stores/in-memory/memory-demand.ts";
import { type Figures, type HostileCase, timed } from "./case.ts";

const uploadBytes = 32 * 1024 * 1024 - 100;

const job = JSON.stringify({
  name: "job-000001",
  iterations: 1,
  constraints: [{ ncpus: 4, memory: "8g" }],
  executingHostnames: [],
});

/** Uploads of the largest size on an instance of 512 MiB, by what they are full of. */
const kinds: Readonly<Record<string, string>> = {
  "empty jobs": "{}",
  numbers: "0",
  "nested lists": "[[[[]]]]",
  "valid jobs": job,
};

export const bodyCases: readonly HostileCase[] = [
  ...Object.entries(kinds).map(([name, item]) => ({ name: `upload: ${name}`, run: () => uploadOf(item) })),
  { name: "includes: diamonds of 9 levels", run: diamonds },
];

async function uploadOf(item: string): Promise<Figures> {
  const uploads = new MemoryDemandUploads();
  const items = Math.floor(uploadBytes / (item.length + 1));
  uploads.put("big", `{"jobs":[${`${item},`.repeat(items - 1)}${item}]}`);
  const envelope = { version: 1, kind: "snapshot", cluster: "hpc", source: "pbs", sequence: 1 };
  const start = process.cpuUsage();
  const parsed = await checkDemand(
    { uploads },
    JSON.stringify({ ...envelope, sentAt: "2026-11-21T10:00:00Z", blob: "big" }),
  );
  const { user, system } = process.cpuUsage(start);
  return { items, checkSeconds: Number(((user + system) / 1e6).toFixed(2)), taken: Number(parsed.ok) };
}

async function diamonds(): Promise<Figures> {
  let loads = 0;
  const [, resolved] = timed(() =>
    resolveIncludes({
      path: "c.json",
      json: { include: ["0a.json", "0b.json"] },
      loadInclude: async (path) => {
        loads += 1;
        const level = Number.parseInt(path, 10) + 1;
        return level === 9 ? {} : { include: [`${level}a.json`, `${level}b.json`] };
      },
    }),
  );
  return { ok: Number((await resolved).ok), loads };
}
