/**
 * Tells the process that started this one by `fork`. Where that one has hung up or ended there is nobody left to work
 * for: then this process ends, with 0. By itself Node would make an uncaught EPIPE of it, since the hanging up may be
 * heard of later than the telling fails.
 */
export function tellParent(message: unknown): void {
  process.send?.(message, undefined, undefined, (error) => {
    if (error !== null) process.exit(0)
  })
}
