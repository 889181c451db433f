import { useCallback, useState } from 'react'
import type { ReactNode, Ref } from 'react'
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

/** Of codes in e-mails. */
export const codeDigits = 6

interface CodeFieldProps {
  readonly ref?: Ref<HTMLInputElement>
  readonly code: string
  readonly isBusy: boolean
  readonly isInvalid: boolean
  /** @param digits at most `codeDigits` */
  readonly onType: (digits: string) => void
}

export function CodeField({ ref, code, isBusy, isInvalid, onType }: CodeFieldProps): ReactNode {
  return (
    <label className="field">
      <span>Code</span>
      {/* Not disabled while it is submitted, to keep the focus. */}
      <input
        ref={ref}
        className="input code-input"
        inputMode="numeric"
        autoComplete="one-time-code"
        pattern={`\\d{${codeDigits}}`}
        required
        value={code}
        readOnly={isBusy}
        aria-invalid={isInvalid}
        onChange={(event) => onType(event.target.value.replaceAll(/\D/g, '').slice(0, codeDigits))}
      />
    </label>
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
