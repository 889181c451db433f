import { useEffect, useState } from 'react'
import type { ReactNode } from 'react'
import { navigate } from '../../kit/router.ts'
import { Button } from '../../kit/button.tsx'
import { Loading } from '../../kit/state.tsx'
import { useAuth } from '../../auth/auth-provider.tsx'
import { finishCallback } from '../../auth/sign-in.ts'
import { takePendingRequest } from './authorize-page.tsx'
import { Alone } from '../parts/alone.tsx'
import { ProblemLine } from '../../auth/problem-line.tsx'
import { problemText } from '../../auth/problem.ts'

/** Of an address that was come back to: it is used once, however often React shows the page. */
const begun = new Map<string, Promise<void>>()

/** Where links of e-mails and sign-ins with others come back. */
export function CallbackPage(): ReactNode {
  const { options, keeper } = useAuth()
  const [problem, setProblem] = useState<string>()
  useEffect(() => {
    document.title = 'Signing in – flowfarm wallet'
    const address = location.href
    const finished =
      begun.get(address) ?? finishCallback(options, new URL(address)).then((token) => keeper.adopt(token))
    begun.set(address, finished)
    finished.then(
      () => navigate(takePendingRequest() ?? '/', { isReplacing: true }),
      (error: unknown) => {
        // The code in the address is used up, and nobody shall copy it.
        history.replaceState(null, '', location.pathname)
        setProblem(problemText(error))
      },
    )
  }, [options, keeper])
  return (
    <Alone>
      {problem === undefined ? (
        <Loading label="You are being signed in" rows={2} />
      ) : (
        <div className="stack">
          <h1>The sign-in did not work</h1>
          <ProblemLine problem={problem} />
          <Button look="strong" onClick={() => navigate('/', { isReplacing: true })}>
            Back to the start
          </Button>
        </div>
      )}
    </Alone>
  )
}
