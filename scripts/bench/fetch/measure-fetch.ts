export interface FetchRun {
  readonly cpuMs: number
  readonly blocksPerSecond: number
  /** Of a block, all its answers. 0 where it is not known. */
  readonly kilobytes: number
  readonly rssMb: number
}

/**
 * Fetches each height of a range, so many at the same time.
 * @param fetchBlock returns the bytes of its answers
 */
export async function measureFetch(
  fetchBlock: (height: number) => Promise<number>,
  from: number,
  to: number,
  inFlight: number,
): Promise<FetchRun> {
  const blocks = to - from + 1
  let [next, bytes] = [from, 0]
  const lane = async (): Promise<void> => {
    while (next <= to) {
      // Not added to what was there before the wait: other lanes add meanwhile.
      const ofBlock = await fetchBlock(next++)
      bytes += ofBlock
    }
  }
  const [cpu, start] = [process.cpuUsage(), performance.now()]
  await Promise.all(Array.from({ length: inFlight }, lane))
  const { user, system } = process.cpuUsage(cpu)
  return {
    cpuMs: (user + system) / 1000 / blocks,
    blocksPerSecond: (blocks / (performance.now() - start)) * 1000,
    kilobytes: bytes / 1000 / blocks,
    rssMb: process.memoryUsage.rss() / 1e6,
  }
}
