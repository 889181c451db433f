import { useEffect, useState } from 'react'
import type { ReactNode } from 'react'
import { ProblemLine } from '../../auth/problem-line.tsx'
import { problemText } from '../../auth/problem.ts'
import type { SessionKeeper } from '../../auth/session-keeper.ts'
import { Button } from '../../kit/button.tsx'
import { navigate } from '../../kit/router.ts'
import { Loading } from '../../kit/state.tsx'
import type { WalletPlace } from '../contract.ts'
import { finishSignIn, placeBefore } from '../wallet-sign-in.ts'

/** By address: a code is used once, however often React shows the page. */
const begun = new Map<string, Promise<void>>()

/** Where the wallet sends people back. What was written before is in the browser, and there again. */
export function CallbackPage({
  wallet,
  keeper,
}: {
  readonly wallet: WalletPlace
  readonly keeper: SessionKeeper
}): ReactNode {
  const [address] = useState(() => location.href)
  const [problem, setProblem] = useState<string>()
  useEffect(() => {
    document.title = 'Signing in – flowfarm editor'
    // The code is used up at once, and neither stays in the history nor is copied.
    history.replaceState(null, '', location.pathname)
    const finished = begun.get(address) ?? finishSignIn(wallet, new URL(address)).then((token) => keeper.adopt(token))
    begun.set(address, finished)
    finished.then(
      () => navigate(placeBefore(), { isReplacing: true }),
      (error: unknown) => setProblem(problemText(error)),
    )
  }, [address, wallet, keeper])
  if (problem === undefined) return <Loading label="Signing in…" rows={2} />
  return (
    <div className="stack">
      <h1>The sign-in did not work</h1>
      <ProblemLine problem={problem} />
      <Button look="strong" onClick={() => navigate(placeBefore(), { isReplacing: true })}>
        Back to the editor
      </Button>
    </div>
  )
}
