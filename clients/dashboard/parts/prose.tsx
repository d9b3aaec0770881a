/** A sentence of the service: what stands between backticks is something to type. */
export function Prose({ text }: { readonly text: string }) {
  const parts = text.split("`");
  // An odd backtick is just a character.
  if (parts.length % 2 === 0) return <>{text}</>;
  return (
    <>{parts.map((part, index) => (index % 2 === 1 ? <code key={`${index} ${part}`}>{part}</code> : part))}</>
  );
}
