import type { ReactNode } from 'react'
import { Button } from '../../../kit/button.tsx'
import { Icon } from '../../../kit/icon.tsx'
import { ProblemLine } from '../../../auth/problem-line.tsx'
import { useArmed } from '../use-armed.ts'

export interface DecisionProps {
  /** What the button that agrees says. Undefined: nothing here can be agreed to. */
  readonly action: string | undefined
  readonly onAgree?: () => void
  readonly onDecline: () => void
  readonly isBusy?: boolean
  /** It takes more than most: the button looks so. */
  readonly isDangerous?: boolean
  readonly isDisabled?: boolean
  readonly usesPasskey?: boolean
  readonly problem?: string | undefined
}

/** The two ways out of a request. Nobody agrees who has not had the window in front for a moment. */
export function Decision({
  action,
  onAgree,
  onDecline,
  isBusy = false,
  isDangerous = false,
  isDisabled = false,
  usesPasskey = true,
  problem,
}: DecisionProps): ReactNode {
  const isArmed = useArmed()
  return (
    <footer className="fcl-decision">
      <ProblemLine problem={problem} />
      <div className="button-row">
        <Button onClick={onDecline}>Decline</Button>
        {action !== undefined && (
          <Button
            look={isDangerous ? 'danger' : 'strong'}
            disabled={!isArmed || isBusy || isDisabled}
            data-arming={isArmed ? undefined : ''}
            onClick={onAgree}
          >
            {usesPasskey && <Icon name="key" />}{' '}
            {isBusy ? 'Follow your browser…' : problem === undefined ? action : 'Try again'}
          </Button>
        )}
      </div>
    </footer>
  )
}
