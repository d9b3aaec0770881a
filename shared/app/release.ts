/** Release of everything in this repository, as package.json has it: the packaged function app has no such file to read. */
export const release = "0.1.0";
