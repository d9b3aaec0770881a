import { dirname } from "node:path";
import type { Plugin } from "esbuild";

/**
 * Leaves zod's other forty languages out of what is packaged: every start would compile 300 KB that nobody reads. `en` is what
 * zod itself loads.
 */
export const englishOnly: Plugin = {
  name: "english-only",
  setup({ onLoad }) {
    onLoad({ filter: /[\\/]zod[\\/]v4[\\/]locales[\\/]index\.js$/ }, ({ path }) => ({
      contents: 'export { default as en } from "./en.js";',
      resolveDir: dirname(path),
    }));
  },
};
