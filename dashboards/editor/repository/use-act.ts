import { useState } from 'react'
import { problemText } from '../../auth/problem.ts'

export interface Acting {
  readonly isBusy: boolean
  /** What went wrong at the last try. */
  readonly problem: string | undefined
  /** Does something once at a time. */
  readonly act: (run: () => Promise<void>) => void
}

/** Does what takes a while, and says when it is at it and what went wrong. */
export function useAct(): Acting {
  const [isBusy, setIsBusy] = useState(false)
  const [problem, setProblem] = useState<string>()
  const act = (run: () => Promise<void>): void => {
    if (isBusy) return
    setIsBusy(true)
    setProblem(undefined)
    run().catch((error: unknown) => setProblem(problemText(error))).finally(() => setIsBusy(false))
  }
  return { isBusy, problem, act }
}
