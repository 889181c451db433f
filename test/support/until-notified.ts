import type { Lifecycle } from '../../src/platform/service.ts'
import { listen } from '../../src/platform/db/listen.ts'

/**
 * Resolves when `isTrue` returns true. Checks at once, and after every notification on the
 * channels.
 *
 * @param running must not stop before that
 */
export async function untilNotified(
  databaseUrl: string,
  channels: readonly string[],
  isTrue: () => Promise<boolean>,
  running?: { readonly lifecycle: Lifecycle },
): Promise<void> {
  const stop = new AbortController()
  let wake: () => void = () => undefined
  const done = new Promise<void>((resolve, reject) => {
    wake = () => void isTrue().then((is) => is && resolve(), reject)
    running?.lifecycle.signal.addEventListener('abort', () =>
      reject(running.lifecycle.failure ?? new Error('stopped too early')),
    )
  })
  const listener = await listen(databaseUrl, channels, () => wake(), {
    signal: stop.signal,
    onReconnect: () => wake(),
    onError: () => wake(),
  })
  try {
    wake()
    await done
  } finally {
    stop.abort()
    await listener.ended
  }
}
