import { dirname } from "node:path";

const oldestNode = 22;

/** The Node.js that runs this process, and the one that `npm install` put into the source tree, if there is one. */
export interface NodeFound {
  readonly version: string;
  readonly path: string;
  readonly brought: string | undefined;
}

/** Why this Node.js is refused, and what to do; undefined if it is new enough. Old releases have to be able to load this file. */
export function nodeRefusal({ version, path, brought }: NodeFound): string | undefined {
  if (Number.parseInt(version, 10) >= oldestNode) return undefined;
  const next =
    brought === undefined
      ? `Install Node.js 24, and put its folder before "${dirname(path)}" on the PATH.`
      : `Put the one that "npm install" brought before it: export PATH="${dirname(brought)}:$PATH"`;
  return `Cannot run ccscale with "${path}": Node.js ${version}, expected ${oldestNode} or newer.\n${next}`;
}
