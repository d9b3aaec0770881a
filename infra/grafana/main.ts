/** Writes the dashboard as Grafana imports it: `npm run grafana`. */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { clusterDashboard } from "./dashboard.ts";

export const dashboardFile = join(import.meta.dirname, "dashboard.json");

export const dashboardText = (): string => `${JSON.stringify(clusterDashboard(), undefined, 2)}\n`;

if (process.argv[1] === import.meta.filename) writeFileSync(dashboardFile, dashboardText());
