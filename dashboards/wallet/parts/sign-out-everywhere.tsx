import type { ReactNode } from 'react'
import { navigate } from '../../kit/router.ts'
import { Button } from '../../kit/button.tsx'
import { useAuth } from '../../auth/auth-provider.tsx'
import { ProblemLine } from '../../auth/problem-line.tsx'
import { useAction } from '../../auth/use-action.ts'

/** For whoever left a session open somewhere. */
export function SignOutEverywhere(): ReactNode {
  const { keeper } = useAuth()
  const { isBusy, problem, run } = useAction()
  return (
    <section className="panel" aria-label="Sessions">
      <div className="panel-text apart">
        <span>Did you leave a session open on another device?</span>
        <Button
          isSmall
          disabled={isBusy}
          onClick={() =>
            void run(async () => {
              await keeper.signOut('global')
              navigate('/', { isReplacing: true })
            })
          }
        >
          Sign out everywhere
        </Button>
      </div>
      <ProblemLine problem={problem} />
    </section>
  )
}
