/** What is to be known of a worker to find those that hang together with it. */
export interface LinkedWorker {
  readonly name: string
  readonly follows: readonly string[]
}

/** The named workers and all that follow them, directly or not; in the order of `workers`. */
export function withFollowers(workers: readonly LinkedWorker[], names: readonly string[]): string[] {
  return closure(workers, names, (worker, found) => worker.follows.some((name) => found.has(name)))
}

/** The named workers and all that they follow, directly or not; in the order of `workers`. */
export function withFollowed(workers: readonly LinkedWorker[], names: readonly string[]): string[] {
  return closure(workers, names, ({ name }, found) => {
    return workers.some((other) => found.has(other.name) && other.follows.includes(name))
  })
}

function closure(
  workers: readonly LinkedWorker[],
  names: readonly string[],
  belongs: (worker: LinkedWorker, found: ReadonlySet<string>) => boolean,
): string[] {
  const found = new Set(names)
  for (let before = -1; before < found.size;) {
    before = found.size
    for (const worker of workers) if (belongs(worker, found)) found.add(worker.name)
  }
  return workers.map(({ name }) => name).filter((name) => found.has(name))
}
