import type { Logger } from '../../base/log.ts'
import type { Metrics } from '../../base/metrics.ts'
import type { ChatMode } from '../chat-modes.ts'
import type { TurnWatch } from '../turn/chat-turn.ts'

export interface WatchOptions {
  readonly mode: ChatMode
  readonly metrics: Metrics
  /** Names the request. */
  readonly log: Logger
  /** Names of tools that there are; a model may call any. */
  readonly toolNames: () => readonly string[]
}

/** Counts a turn, and tells the log how it went: nothing of what was said, asked or found. */
export function watchTurn({ mode, metrics, log, toolNames }: WatchOptions): TurnWatch {
  let firstMs: number | undefined
  let calls = 0
  let hasEnded = false
  return {
    begun: (afterMs) => {
      firstMs = Math.round(afterMs)
      metrics.chatFirstToken.observe({ mode }, afterMs / 1000)
    },
    toolEnded: ({ tool, isError, durationMs }) => {
      calls++
      metrics.chatToolSeconds.observe(
        { tool: toolNames().includes(tool) ? tool : 'unknown', outcome: isError ? 'failed' : 'done' },
        durationMs / 1000,
      )
    },
    ended: ({ end, metadata }) => {
      // A turn that broke in a way of its own is ended by who waits for it, and may have told its end before.
      if (hasEnded) return
      hasEnded = true
      const { model, steps, usage, durationMs } = metadata
      metrics.chatAnswers.inc({ mode, end })
      metrics.chatTokens.inc({ kind: 'input' }, usage?.inputTokens ?? 0)
      metrics.chatTokens.inc({ kind: 'output' }, usage?.outputTokens ?? 0)
      log.debug(
        {
          mode,
          model,
          end,
          steps,
          calls,
          firstMs,
          durationMs,
          inputTokens: usage?.inputTokens,
          outputTokens: usage?.outputTokens,
        },
        'an answer has its end',
      )
    },
  }
}
