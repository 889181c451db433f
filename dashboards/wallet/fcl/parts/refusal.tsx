import type { ReactNode } from 'react'
import { Button } from '../../../kit/button.tsx'
import { Failure } from '../../../kit/state.tsx'
import { useAuth } from '../../../auth/auth-provider.tsx'
import { useAction } from '../../../auth/use-action.ts'
import { ProblemLine } from '../../../auth/problem-line.tsx'
import type { OpenerChannel } from '../opener-channel.ts'

export interface RefusalProps {
  readonly title: string
  /** Is told to the application too. */
  readonly detail: string
  readonly channel: OpenerChannel
  readonly onRetry?: (() => void) | undefined
  /** Somebody else who signs in may do it. */
  readonly mayChange?: boolean
}

/** Something that cannot be done, whatever the person wants. */
export function Refusal({ title, detail, channel, onRetry, mayChange = false }: RefusalProps): ReactNode {
  const { keeper } = useAuth()
  const { isBusy, problem, run } = useAction()
  return (
    <>
      <h1>{title}</h1>
      <Failure title="Nothing was signed" detail={detail} {...(onRetry === undefined ? {} : { onRetry })} />
      <footer className="fcl-decision">
        <ProblemLine problem={problem} />
        <div className="button-row">
          {mayChange && (
            <Button disabled={isBusy} onClick={() => void run(() => keeper.signOut())}>
              Sign in as somebody else
            </Button>
          )}
          <Button look="strong" onClick={() => channel.decline(`${title}. ${detail}`)}>
            Back to the page
          </Button>
        </div>
      </footer>
    </>
  )
}
