/** Exits with 0 if the parent has disconnected, instead of an EPIPE error. */
export function sendToParent(message: unknown): void {
  process.send?.(message, undefined, undefined, (error) => {
    if (error !== null) process.exit(0)
  })
}
