const everyMilliseconds = 500;

/**
 * Calls back once the process that started this one is gone: an orphan gets no signal, but the system gives it another
 * parent. Does not keep the process alive.
 */
export function whenOrphaned(then: () => void): void {
  const parent = process.ppid;
  const timer = setInterval(() => {
    if (process.ppid === parent) return;
    clearInterval(timer);
    then();
  }, everyMilliseconds);
  timer.unref();
}
