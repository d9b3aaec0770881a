import { useEffect, useRef, useState } from "preact/hooks";

let say: (text: string) => void = () => undefined;

/** Announces a text to screen readers, politely. Only for what matters: views change all the time. */
export function announce(text: string): void {
  say(text);
}

/** Where it is written, unseen. One for the page. */
export function Announcer() {
  const [said, setSaid] = useState({ text: "", turn: 0 });
  useEffect(() => {
    say = (text) => setSaid(({ turn }) => ({ text, turn: turn + 1 }));
  }, []);
  return (
    <div role="status" class="hidden">
      {/* Another element each time: the same words are said again. */}
      <p key={said.turn}>{said.text}</p>
    </div>
  );
}

/** Announces a text, once it is known, when what the viewer asked for has changed; not what was there first, and no update. */
export function useAnnounced(asked: string, text: string | undefined): void {
  const last = useRef(asked);
  useEffect(() => {
    if (text === undefined || last.current === asked) return;
    last.current = asked;
    announce(text);
  }, [asked, text]);
}
