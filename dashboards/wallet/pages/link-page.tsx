import { useEffect, useState } from 'react'
import type { ReactNode } from 'react'
import { navigate } from '../../kit/router.tsx'
import { Button } from '../../kit/controls.tsx'
import { Loading } from '../../kit/state.tsx'
import { useAuth } from '../../auth/auth-provider.tsx'
import { ProblemLine, useAction } from '../../auth/action.tsx'
import { problemText } from '../../auth/auth-service.ts'
import { openLink } from '../../auth/sign-in.ts'
import type { LinkSession } from '../../auth/sign-in.ts'
import { CenteredCard } from './layout.tsx'

/** Single-use, however often React renders the page. */
const started = new Map<string, Promise<LinkSession>>()

export function readLinkToken(): string | undefined {
  const parameters = new URLSearchParams(location.search)
  return (parameters.get('type') === 'magiclink' ? parameters.get('token_hash') : null) ?? undefined
}

/** Asks for confirmation: an attacker could send a link to an account of theirs. */
export function LinkPage({ token, onDone }: { readonly token: string; readonly onDone: () => void }): ReactNode {
  const { options, sessionManager } = useAuth()
  const [offered, setOffered] = useState<LinkSession>()
  const [failure, setFailure] = useState<string>()
  const { isBusy, problem, run } = useAction()
  useEffect(() => {
    document.title = 'Signing in – flowfarm wallet'
    history.replaceState(null, '', location.pathname)
    const opened = started.get(token) ?? openLink(options, token)
    started.set(token, opened)
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
      <CenteredCard>
        <div className="stack">
          <h1>Sign-in failed</h1>
          <ProblemLine problem={failure} />
          <Button look="strong" onClick={leave}>
            Back to the wallet
          </Button>
        </div>
      </CenteredCard>
    )
  }
  return (
    <CenteredCard>
      {offered === undefined ? (
        <Loading label="Checking the link…" rows={2} />
      ) : (
        <div className="stack">
          <h1>Sign in?</h1>
          <p>
            {offered.email === '' ? (
              'Sign in as a user without an e-mail address.'
            ) : (
              <>
                Sign in as <b className="wrap">{offered.email}</b>.
              </>
            )}
          </p>
          <p className="soft">If this is not your address, do not sign in: someone else sent you this link.</p>
          <ProblemLine problem={problem} />
          <Button look="strong" disabled={isBusy} onClick={() => end(() => sessionManager.adopt(offered.refreshToken))}>
            Sign in
          </Button>
          <Button disabled={isBusy} onClick={() => end(offered.refuse)}>
            Cancel
          </Button>
        </div>
      )}
    </CenteredCard>
  )
}
