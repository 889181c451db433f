import { useEffect, useState } from 'react'
import type { ReactNode } from 'react'
import { navigate } from '../../kit/router.tsx'
import { Button } from '../../kit/controls.tsx'
import { Loading } from '../../kit/state.tsx'
import { useAuth } from '../../auth/auth-provider.tsx'
import { ProblemLine, useAction } from '../../auth/action.tsx'
import { problemText } from '../../auth/auth-service.ts'
import { openLink } from '../../auth/sign-in.ts'
import type { OfferedSession } from '../../auth/sign-in.ts'
import { Alone } from './layout.tsx'

/** By token: it is used once, however often React shows the page. */
const begun = new Map<string, Promise<OfferedSession>>()

/** The token of a link that leads here without a code; undefined for every other address. */
export function readLinkToken(): string | undefined {
  const parameters = new URLSearchParams(location.search)
  return (parameters.get('type') === 'magiclink' ? parameters.get('token_hash') : null) ?? undefined
}

/**
 * Asks whether somebody is who a link says that they are. Whoever likes can send one of their own, and whoever
 * pressed on would keep what they have in another's account.
 */
export function LinkPage({ token, onDone }: { readonly token: string; readonly onDone: () => void }): ReactNode {
  const { options, keeper } = useAuth()
  const [offered, setOffered] = useState<OfferedSession>()
  const [failure, setFailure] = useState<string>()
  const { isBusy, problem, run } = useAction()
  useEffect(() => {
    document.title = 'Signing in – flowfarm wallet'
    // Nobody shall copy it.
    history.replaceState(null, '', location.pathname)
    const opened = begun.get(token) ?? openLink(options, token)
    begun.set(token, opened)
    opened.then(setOffered, (error: unknown) => setFailure(problemText(error)))
  }, [options, token])
  const leave = (): void => {
    navigate('/', { isReplacing: true })
    onDone()
  }
  const end = (act: () => Promise<void>): void =>
    void run(act).then((isDone) => {
      if (isDone) leave()
    })
  if (failure !== undefined) {
    return (
      <Alone>
        <div className="stack">
          <h1>The sign-in did not work</h1>
          <ProblemLine problem={failure} />
          <Button look="strong" onClick={leave}>
            Back to the start
          </Button>
        </div>
      </Alone>
    )
  }
  return (
    <Alone>
      {offered === undefined ? (
        <Loading label="The link is looked at" rows={2} />
      ) : (
        <div className="stack">
          <h1>Sign in?</h1>
          <p>
            {offered.email === '' ? (
              'As a user without an e-mail address.'
            ) : (
              <>
                As <b className="wrap">{offered.email}</b>.
              </>
            )}
          </p>
          <p className="soft">If that is not you, somebody else has sent you this link.</p>
          <ProblemLine problem={problem} />
          <Button look="strong" disabled={isBusy} onClick={() => end(() => keeper.adopt(offered.refreshToken))}>
            Sign in
          </Button>
          <Button disabled={isBusy} onClick={() => end(offered.refuse)}>
            No
          </Button>
        </div>
      )}
    </Alone>
  )
}
