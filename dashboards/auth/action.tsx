import { useCallback, useState } from 'react'
import type { ReactNode } from 'react'
import { problemText } from './auth-service.ts'
import { Icon } from '../kit/controls.tsx'

interface Action {
  readonly isBusy: boolean
  /** What went wrong the last time, in words. */
  readonly problem: string | undefined
  /** Does it, unless it is being done. Resolves to whether it was done. */
  readonly run: (act: () => Promise<void>) => Promise<boolean>
  readonly clear: () => void
}

/** Something that is done when somebody says so, and that can go wrong. */
export function useAction(): Action {
  const [isBusy, setIsBusy] = useState(false)
  const [problem, setProblem] = useState<string>()
  const run = useCallback(async (act: () => Promise<void>): Promise<boolean> => {
    setIsBusy(true)
    setProblem(undefined)
    try {
      await act()
      return true
    } catch (error) {
      // Another question for a passkey took its place: nothing that somebody has to know.
      if (!(error instanceof Error && error.name === 'AbortError')) setProblem(problemText(error))
      return false
    } finally {
      setIsBusy(false)
    }
  }, [])
  const clear = useCallback(() => setProblem(undefined), [])
  return { isBusy, problem, run, clear }
}

/** Says what went wrong, beside what was tried. */
export function ProblemLine({ problem }: { readonly problem: string | undefined }): ReactNode {
  if (problem === undefined) return null
  return (
    <p className="problem-line" role="alert">
      <Icon name="alert" />
      <span>{problem}</span>
    </p>
  )
}
