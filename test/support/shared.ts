/** What is opened once, for all who ask until it is forgotten. What cannot be opened is opened again when somebody asks again. */
export function shared<T>(open: (forget: () => void) => Promise<T>): () => Promise<T> {
  let opened: Promise<T> | undefined;
  const forget = () => {
    opened = undefined;
  };
  return () => {
    opened ??= open(forget).catch((error: unknown) => {
      forget();
      throw error;
    });
    return opened;
  };
}
