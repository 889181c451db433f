import { getHeapSpaceStatistics, setFlagsFromString } from 'node:v8'

/** Both halves together. Blocks live for milliseconds here, so a larger one only means that they wait longer to be freed. */
const limitBytes = 16 * 1024 * 1024
const checkEveryMs = 50

/**
 * Keeps V8's young generation at about 16 MiB, where it would grow to 64: what an ingester allocates is garbage within
 * milliseconds, and until it is collected the buffers that hang on it take three times the room (docs/decisions.md).
 * The same as `--max-semi-space-size=8` for a program that is started without it: the factor by which V8 enlarges the
 * young generation is read each time it does, so setting it to 1 stops the growth where it is.
 * @returns how to stop waiting for the limit
 */
export function limitYoungGeneration(): () => void {
  const timer = setInterval(() => {
    const size = getHeapSpaceStatistics().find((space) => space.space_name === 'new_space')?.space_size ?? 0
    if (size < limitBytes) return
    setFlagsFromString('--semi-space-growth-factor=1')
    clearInterval(timer)
  }, checkEveryMs)
  timer.unref()
  return () => clearInterval(timer)
}
