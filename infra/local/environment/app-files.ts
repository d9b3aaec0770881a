/** What the Functions host loads of this repository once it is built: package.json is that of the npm package, and names no app. */
export const appFiles = "dist/functions/*.js";
