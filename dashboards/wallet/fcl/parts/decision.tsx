import { useEffect, useState } from 'react'
import type { ReactNode } from 'react'
import { ProblemLine } from '../../../auth/problem-line.tsx'
import { Button } from '../../../kit/button.tsx'
import { Icon } from '../../../kit/icon.tsx'

interface DecisionProps {
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

const armMs = 1000

/**
 * Whether somebody has had the time to see what this window shows: it has been in front, with the focus, for a second. A window that comes up under a
 * click which was meant for another one does nothing by it.
 */
function useArmed(): boolean {
  const [isArmed, setIsArmed] = useState(false)
  useEffect(() => {
    let timer: ReturnType<typeof setTimeout> | undefined
    const look = (): void => {
      clearTimeout(timer)
      setIsArmed(false)
      if (document.visibilityState === 'visible' && document.hasFocus())
        timer = setTimeout(() => setIsArmed(true), armMs)
    }
    look()
    window.addEventListener('focus', look)
    window.addEventListener('blur', look)
    document.addEventListener('visibilitychange', look)
    return () => {
      clearTimeout(timer)
      window.removeEventListener('focus', look)
      window.removeEventListener('blur', look)
      document.removeEventListener('visibilitychange', look)
    }
  }, [])
  return isArmed
}
