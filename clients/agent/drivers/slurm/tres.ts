/** Trackable resources, as Slurm writes them into one text: `cpu=8,mem=15000M`, `gres:gpu:a100:2`. */

/** The names in `cpu=8,mem=15000M,node=2`. */
export function tresNames(tres: string): readonly string[] {
  return tres.split(",").flatMap((item) => {
    const at = item.lastIndexOf("=");
    return at <= 0 ? [] : [item.slice(0, at)];
  });
}

/** The number behind a name in `cpu=8,mem=15000M,node=2`; undefined when it is not there. */
export function tresAmount(tres: string, name: string): number | undefined {
  const item = tres.split(",").find((each) => each.startsWith(`${name}=`));
  const match = /^(\d{1,15}(?:\.\d{1,9})?)([KMGTP]?)$/.exec(item?.slice(name.length + 1) ?? "");
  return match === null ? undefined : Number(match[1]) * (mebibytesPer[match[2] ?? ""] ?? 1);
}

/** Slurm's memory is in mebibytes; plain numbers count things, and stay as they are. */
const mebibytesPer: Readonly<Record<string, number>> = {
  K: 1 / 1024,
  M: 1,
  G: 1024,
  T: 1024 ** 2,
  P: 1024 ** 3,
};

/** GPUs in `gres:gpu:a100:2`, `gres/gpu:2`, `gres/gpu=2` or a list of such; without a number it is one. 0: none. */
export function gpusIn(tres: string): number {
  const counts = tres.split(",").flatMap((item) => {
    const match = /^gres[:/]gpu(?:[:=](.*))?$/.exec(item.trim());
    if (match === null) return [];
    const last = (match[1] ?? "1").split(/[:=]/).at(-1) ?? "1";
    return [/^\d+$/.test(last) ? Number(last) : 1];
  });
  return counts.reduce((sum, each) => sum + each, 0);
}

/** Types of the GPUs asked for, as pseudo features: `gres:gpu:a100:2` is `gpu:a100`. */
export function gpuTypesIn(tres: string): readonly string[] {
  return tres.split(",").flatMap((item) => {
    const type = /^gres[:/]gpu[:/=]([^:=/\d][^:=]*)/.exec(item.trim())?.[1];
    return type === undefined ? [] : [`gpu:${type}`];
  });
}

/** A node's own GPUs, `gpu:a100:4(S:0-1)`, in the spelling of a request. */
export function gpuRequestOf(gres: string): string {
  return gres.replace(/(^|,)gpu/g, "$1gres:gpu").replace(/\([^()]*\)/g, "");
}
