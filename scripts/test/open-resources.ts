/** How long a process may take to end by itself after the last test, ms. */
const timeToEnd = 10_000

/**
 * Calls `fail` if this process is still there after a while: a test has left a connection, a timer or a child process open, which
 * the console then names.
 */
export function failIfOpen(fail: () => void): void {
  // Runs only if something else keeps the process alive, since its own timer does not.
  setTimeout(() => {
    const open = process.getActiveResourcesInfo().filter((name) => !['TTYWrap', 'PipeWrap'].includes(name))
    console.error(`The tests have ended, but something is still open: ${[...new Set(open)].join(', ') || 'a pipe'}.`)
    fail()
  }, timeToEnd).unref()
}
