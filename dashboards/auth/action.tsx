import { useCallback, useState } from 'react'
import type { ReactNode } from 'react'
import { problemText } from './auth-service.ts'
import { Icon } from '../kit/controls.tsx'
import { ErrorState, Loading } from '../kit/state.tsx'

interface Action {
  readonly isBusy: boolean
  readonly problem: string | undefined
  /** Runs the action unless it is running. Resolves to whether it succeeded. */
  readonly run: (act: () => Promise<void>) => Promise<boolean>
  readonly clear: () => void
}

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
      // Another passkey prompt replaced this one.
      if (!(error instanceof Error && error.name === 'AbortError')) setProblem(problemText(error))
      return false
    } finally {
      setIsBusy(false)
    }
  }, [])
  const clear = useCallback(() => setProblem(undefined), [])
  return { isBusy, problem, run, clear }
}

export function ProblemLine({ problem }: { readonly problem: string | undefined }): ReactNode {
  if (problem === undefined) return null
  return (
    <p className="problem-line" role="alert">
      <Icon name="alert" />
      <span>{problem}</span>
    </p>
  )
}

interface QueryStateProps {
  /** Such as `your passkeys`. */
  readonly what: string
  readonly rows?: number
  readonly error: Error | null
  readonly refetch: () => Promise<unknown>
}

/** Loading or error state of a query without data. */
export function QueryState({ what, rows = 3, error, refetch }: QueryStateProps): ReactNode {
  if (error === null) return <Loading label={`Loading ${what}…`} rows={rows} />
  return <ErrorState title={`Could not load ${what}`} detail={problemText(error)} onRetry={() => void refetch()} />
}
