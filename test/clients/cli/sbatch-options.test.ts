import { expect, test } from "vitest";
import { readSbatch, wordsOfScript } from "../../../clients/cli/slurm/sbatch-options.ts";
import { splitWords } from "../../../shared/text/shell-word.ts";

test.each([
  ['-n 4 -J \'my job\' --comment="a \\"b\\"" x\\ y', ["-n", "4", "-J", "my job", '--comment=a "b"', "x y"]],
  ["", []],
  ["-J ''", ["-J", ""]],
  ["-J $(id) `id`", ["-J", "$(id)", "`id`"]],
  ["-J 'open", undefined],
  ['-J "open', undefined],
])("words of %s", (text, words) => {
  expect(splitWords(text)).toEqual(words);
});

test.each([
  ["--begin=now", "unknown option '--begin=now'"],
  ["--frobnicate", "unknown option '--frobnicate'"],
  ["-n many", "option '-n, --ntasks <count>' argument 'many' is invalid. expected a whole number above 0."],
  ["--mem=4Q", "option '--mem <size>' argument '4Q' is invalid. expected a size such as 2000M or 4G."],
  [
    "-t soon",
    "option '-t, --time <time>' argument 'soon' is invalid. expected a time such as 90, 1:30:00 or 1-12.",
  ],
  ["-n 1 : -n 2", 'a heterogeneous job (" : "), expected one of its parts'],
])("refused by its name: %s", (text, problem) => {
  expect(readSbatch(text.split(" "))).toEqual({ ok: false, problem });
});

test("what stands behind the script is the script's own", () => {
  const read = readSbatch(["-n2", "--exclusive", "job.sh", "-n", "9", "--begin=now"]);
  expect(read).toEqual({ ok: true, script: "job.sh", options: { ntasks: 2, exclusive: "node" } });
});

test("lines #SBATCH count until the first command", () => {
  const script = "#!/bin/bash\n#SBATCH -n 4\n# a remark\n\n#SBATCH --job-name='a b'\nsrun x\n#SBATCH -n 9\n";
  expect(wordsOfScript(script)).toEqual(["-n", "4", "--job-name=a b"]);
  expect(wordsOfScript("#SBATCH -J 'open\n")).toBeUndefined();
});
