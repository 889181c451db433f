import { scriptsBusy, scriptTimedOut } from './script-errors.ts'
import type { ScriptRunner } from './script-runner.ts'

export interface ScriptBounds {
  /** Default 30,000 ms, for all nodes that are tried together; nodes give up a script sooner. */
  readonly timeoutMs?: number
  /** Scripts that run at the same time; further ones are refused. Default 64: each holds its result in memory. */
  readonly mostAtOnce?: number
}

/** Bounds a runner in time and in how many scripts it runs at once. @throws ApiError 504 `script-timeout`, 503 `scripts-busy` */
export function boundScripts(
  runner: ScriptRunner,
  { timeoutMs = 30_000, mostAtOnce = 64 }: ScriptBounds = {},
): ScriptRunner {
  let running = 0
  return {
    async run(script, args, block, signal) {
      if (running >= mostAtOnce) throw scriptsBusy()
      const timeout = AbortSignal.timeout(timeoutMs)
      running++
      try {
        return await runner.run(script, args, block, AbortSignal.any([signal, timeout]))
      } catch (error) {
        signal.throwIfAborted()
        throw timeout.aborted ? scriptTimedOut(timeoutMs / 1000, error) : error
      } finally {
        running--
      }
    },
  }
}
