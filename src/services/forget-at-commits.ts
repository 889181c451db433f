import type { DatabasePool } from 'slonik'
import type { ResponseCache } from '../platform/http/response-cache.ts'
import { keepRecentReads, recentReadsMs } from '../explorer/paging/bounds.ts'
import { LogThrottle } from '../platform/log-throttle.ts'
import { listen } from '../platform/db/listen.ts'
import type { WhenReadable } from '../platform/db/when-replayed.ts'
import { farmChannel, rowsChanged } from '../platform/db/announce-farm-work.ts'
import type { Config } from '../config.ts'
import type { ServiceContext } from '../platform/service.ts'

const rollbackChannel = 'flowfarm_rollback'

/** What ingesters and workers announce when they have committed. */
const channels = ['flowfarm_blocks', rollbackChannel, farmChannel]

/**
 * Drops answers and recent reads at every commit, settled answers where rows below the head change, and caches nothing while
 * notifications cannot be received.
 * The live feed reads a new block before it tells of it, so that whoever asks then is not given what was kept before that block.
 */
export async function forgetAtCommits(
  { databaseUrl, lifecycle, log }: ServiceContext<Config>,
  {
    databases,
    kept,
    whenReadable,
  }: { readonly databases: readonly DatabasePool[]; readonly kept: ResponseCache; readonly whenReadable: WhenReadable },
): Promise<void> {
  const stopping = new AbortController()
  const reads = keepRecentReads(databases, recentReadsMs)
  const forget = (channel: string, payload: string): void => {
    reads.forget()
    if (channel === rollbackChannel || payload === rowsChanged) kept.clear()
    else kept.dropCurrent()
  }
  const failures = new LogThrottle()
  let losses = 0
  const listener = await listen(
    databaseUrl,
    channels,
    (channel, payload) => whenReadable(() => forget(channel, payload)),
    {
      signal: stopping.signal,
      applicationName: 'flowfarm answers',
      onReconnect: () => {
        const lossesBefore = losses
        whenReadable(() => {
          if (losses !== lossesBefore) return
          reads.setDeaf(false)
          kept.suspend(false)
        })
      },
      onTrouble: (error) => {
        losses++
        reads.setDeaf(true)
        kept.suspend(true)
        failures.log(
          log,
          'warn',
          { err: error },
          'Commits are not received, so no response is cached: connecting again',
        )
      },
    },
  )
  lifecycle.onStop('answers that are kept', async () => {
    stopping.abort()
    await listener.ended
  })
}
