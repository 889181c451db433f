import { useEffect, useState } from 'react'
import type { ReactNode } from 'react'
import { Button } from '../../kit/button.tsx'
import { Icon } from '../../kit/icon.tsx'
import { tellProblem } from '../problem.ts'

/** Why there is no answer, or no more of it; with another try where that may help, not before the service wants it. */
export function ProblemNote({ error, onAgain }: { readonly error: Error; readonly onAgain: () => void }): ReactNode {
  const { title, detail, mayPass, retryAfterS } = tellProblem(error)
  const left = useCountdown(retryAfterS ?? 0)
  return (
    <div className="problem" role="alert">
      <Icon name="alert" size={18} />
      <div>
        <p className="title">{title}</p>
        <p>{detail}</p>
      </div>
      {mayPass && (
        <Button disabled={left > 0} onClick={onAgain}>
          {left > 0 ? `Try again in ${left} s` : 'Try again'}
        </Button>
      )}
    </div>
  )
}

/** Seconds that are left, counted down to nought. */
function useCountdown(seconds: number): number {
  const [left, setLeft] = useState(Math.ceil(seconds))
  useEffect(() => {
    if (left <= 0) return
    const timer = setTimeout(() => setLeft(left - 1), 1000)
    return () => clearTimeout(timer)
  }, [left])
  return left
}
