import { setTimeout as pass } from 'node:timers/promises'
import { startStreamingProvider } from '../../../test/chat/support/streaming-provider.ts'
import type { ReplyPiece } from '../../../test/chat/support/provider-turn.ts'

/**
 * A provider of models for the benchmark: a process of its own, to be forked; tells its address. A question `now …` is answered at once by the
 * clock; any other has a statement run first, and then the clock and 150 words, one each 50 ms. They begin one after the other within four seconds
 * from the moment on at which as many as it says ask, so that all are there at once.
 */

const words = 150
/** Some 20 pieces a second, as large models send them. */
const betweenMs = 50
const withinMs = 4000

const everybody = Promise.withResolvers<void>()
let asking = 0

const provider = await startStreamingProvider(({ question, step }) => {
  if (question.startsWith('now')) return [{ clock: true }, ' is the time.']
  const [, most = '1'] = /^(\d+) ask/.exec(question) ?? []
  if (step === 0) return [{ tool: 'run_indexer_sql', input: { sql: 'SELECT n, md5(n::text) AS name, n * 1.5 AS amount FROM generate_series(1, 500) AS n' } }]
  asking++
  if (asking === Number(most)) everybody.resolve()
  const begin = everybody.promise.then(() => pass(Math.random() * withinMs))
  const pauses = Array.from({ length: words }, (_, n) => begin.then(() => pass((n + 1) * betweenMs)))
  return [{ until: begin }, { clock: true }, ...pauses.flatMap((until, n): ReplyPiece[] => [{ until }, ` word ${n}`])]
})
process.send?.({ url: provider.url })
process.once('disconnect', () => process.exit(0))
