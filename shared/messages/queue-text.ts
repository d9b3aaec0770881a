/** Blanks at the end are cut off first: a second set of blanks in here would be tried against every blank of the first. */
const looksLikeBase64 = /^[A-Za-z0-9+/\s]+={0,2}$/;

/**
 * The text of a Storage queue message. Senders encode it as base64, as Azure's own tools do, or forget to: both are
 * understood, so that a forgotten encoding is answered with reasons like every other mistake instead of going to the
 * poison queue where nobody can read it. (host.json therefore asks the host not to decode.)
 */
export function decodeQueueText(body: unknown): unknown {
  if (typeof body !== "string" || !looksLikeBase64.test(body.trimEnd())) return body;
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(Buffer.from(body, "base64"));
  } catch {
    return body;
  }
}
