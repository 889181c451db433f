import type { DatabasePool } from 'slonik'
import type { KeptAnswers } from '../api/kept/kept-answers.ts'
import { keepRecentReads, recentReadsMs } from '../api/kept/recent-reads.ts'
import { listen } from '../db/listen.ts'
import type { WhenReadable } from '../db/when-replayed.ts'
import { farmChannel } from '../farm/leases/sql/announce-farm-work.ts'
import type { ServiceContext } from './context.ts'

/** What ingesters and workers say when they have committed. */
const channels = ['flowfarm_blocks', 'flowfarm_rollback', farmChannel]

/**
 * Has answers and what was read a moment ago forgotten at every commit, and nothing kept while commits cannot be heard of.
 * The live feed reads a new block before it tells of it, so that whoever asks then is not given what was kept before that block.
 */
export async function forgetAtCommits(
  { databaseUrl, lifecycle, log }: ServiceContext,
  { database, kept, whenReadable }: { readonly database: DatabasePool; readonly kept: KeptAnswers; readonly whenReadable: WhenReadable },
): Promise<void> {
  const stopping = new AbortController()
  const reads = keepRecentReads(database, recentReadsMs)
  const forget = (): void => {
    reads.forget()
    kept.forget()
  }
  let losses = 0
  const listener = await listen(databaseUrl, channels, () => whenReadable(forget), {
    signal: stopping.signal,
    applicationName: 'flowfarm answers',
    onReconnect: () => {
      const lossesBefore = losses
      whenReadable(() => {
        if (losses !== lossesBefore) return
        reads.setDeaf(false)
        kept.setDeaf(false)
      })
    },
    onTrouble: (error) => {
      losses++
      reads.setDeaf(true)
      kept.setDeaf(true)
      log.warn({ err: error }, 'commits are not heard of, so that nothing is kept; connecting again')
    },
  })
  lifecycle.onStop('answers that are kept', async () => {
    stopping.abort()
    await listener.ended
  })
}
