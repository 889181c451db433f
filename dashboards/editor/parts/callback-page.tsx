import { useEffect, useState } from 'react'
import type { ReactNode } from 'react'
import type { FullAuthOptions } from '../../auth/auth-options.ts'
import { ProblemLine } from '../../auth/problem-line.tsx'
import { problemText } from '../../auth/problem.ts'
import type { SessionKeeper } from '../../auth/session-keeper.ts'
import { finishCallback } from '../../auth/sign-in.ts'
import { Button } from '../../kit/button.tsx'
import { navigate } from '../../kit/router.ts'
import { Loading } from '../../kit/state.tsx'

/** Of an address that was come back to: it is used once, however often React shows the page. */
const begun = new Map<string, Promise<void>>()
const backKey = 'flowfarm-editor-back'

/** Remembers, in this tab, where a sign-in began that leaves the page. */
export function rememberPlace(): void {
  sessionStorage.setItem(backKey, location.pathname)
}

function placeBefore(): string {
  const back = sessionStorage.getItem(backKey) ?? '/'
  return /^\/p\/[a-z0-9-]+$/.test(back) ? back : '/'
}

/** Where links of e-mails and sign-ins with others come back. What was written before is in the browser, and there again. */
export function CallbackPage({ options, keeper }: { readonly options: FullAuthOptions; readonly keeper: SessionKeeper }): ReactNode {
  const [problem, setProblem] = useState<string>()
  useEffect(() => {
    document.title = 'Signing in – flowfarm editor'
    const address = location.href
    const finished = begun.get(address) ?? finishCallback(options, new URL(address)).then((token) => keeper.adopt(token))
    begun.set(address, finished)
    finished.then(
      () => navigate(placeBefore(), { isReplacing: true }),
      (error: unknown) => {
        // The code in the address is used up, and nobody shall copy it.
        history.replaceState(null, '', location.pathname)
        setProblem(problemText(error))
      },
    )
  }, [options, keeper])
  if (problem === undefined) return <Loading label="You are being signed in" rows={2} />
  return (
    <div className="stack">
      <h1>The sign-in did not work</h1>
      <ProblemLine problem={problem} />
      <Button look="strong" onClick={() => navigate(placeBefore(), { isReplacing: true })}>Back to the editor</Button>
    </div>
  )
}
