import { writeFileSync } from "node:fs";
import { pictureFile, pictureOf, sources } from "./pictures.ts";

// `npm run pictures` draws all pictures again. `npm run pictures -- --record` first records what the terminal shows.
if (process.argv.includes("--record")) await (await import("./record.ts")).recordAll();
for (const source of sources()) writeFileSync(pictureFile(source), await pictureOf(source));
