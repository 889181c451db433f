import { useQuery } from '@tanstack/react-query'
import { useEffect, useState } from 'react'
import type { ReactNode } from 'react'
import { Button } from '../../kit/button.tsx'
import { Icon } from '../../kit/icon.tsx'
import { useAuth } from '../auth/auth-provider.tsx'
import { canAutofill, oauthNames, offeredOAuth, sendCode, signInByPasskey, startOAuth, stopAsking } from '../auth/sign-in.ts'
import { Alone } from '../parts/alone.tsx'
import { CodeForm } from '../parts/code-form.tsx'
import { ProblemLine } from '../parts/problem-line.tsx'
import { useAction } from '../parts/use-action.ts'

/** The ways in: a passkey, a code by e-mail, and whatever else the auth server offers. */
export function SignInPage({ hasEnded }: { readonly hasEnded: boolean }): ReactNode {
  const { options, keeper } = useAuth()
  const [email, setEmail] = useState('')
  const [sentTo, setSentTo] = useState<string>()
  const { isBusy, problem, run } = useAction()
  const { data: others = [] } = useQuery({ queryKey: ['others'], queryFn: ({ signal }) => offeredOAuth(options, signal), staleTime: Infinity })
  useEffect(() => {
    document.title = 'Sign in – flowfarm wallet'
  }, [])
  useAutofill(sentTo === undefined)

  const byPasskey = (): void => void run(async () => keeper.adopt(await signInByPasskey(options)))
  const byCode = (): void => void run(async () => {
    const to = email.trim()
    await sendCode(options, to)
    stopAsking()
    setSentTo(to)
  })
  if (sentTo !== undefined) return <Alone><CodeForm email={sentTo} onBack={() => setSentTo(undefined)} /></Alone>
  return (
    <Alone>
      <div className="alone-head">
        <h1>Your wallet for Flow</h1>
        <p className="soft">Its keys are passkeys: they stay on your devices, and you use them with a look or a touch.</p>
      </div>
      {hasEnded && <p className="banner" role="status">You were signed out. Sign in to go on.</p>}
      <Button look="strong" disabled={isBusy} onClick={byPasskey}>
        <Icon name="key" /> Sign in with a passkey
      </Button>
      <p className="or"><span>or, also if you are new here</span></p>
      <form
        className="stack"
        onSubmit={(event) => {
          event.preventDefault()
          byCode()
        }}
      >
        <label className="field">
          <span>E-mail address</span>
          <input
            className="input" type="email" name="email" required maxLength={320} autoComplete="username webauthn" inputMode="email" spellCheck={false}
            placeholder="you@example.com" value={email} onChange={(event) => setEmail(event.target.value)}
          />
        </label>
        <Button type="submit" disabled={isBusy || email.trim() === ''}>Send me a code</Button>
      </form>
      {others.length > 0 && (
        <div className="others">
          {others.map((name) => (
            <Button key={name} disabled={isBusy} onClick={() => void run(() => startOAuth(options, name))}>Sign in with {oauthNames[name]}</Button>
          ))}
        </div>
      )}
      <ProblemLine problem={problem} />
    </Alone>
  )
}

/** Has the browser offer passkeys in the field for the address, where it can. It is silent about what does not come of it. */
function useAutofill(isOn: boolean): void {
  const { options, keeper } = useAuth()
  useEffect(() => {
    if (!isOn) return
    let isGone = false
    const offer = async (): Promise<void> => {
      if (!(await canAutofill()) || isGone) return
      const token = await signInByPasskey(options, { isAutofill: true })
      if (!isGone) await keeper.adopt(token)
    }
    offer().catch((error: unknown) => {
      // Nobody asked for anything: the button says what is wrong when somebody uses it.
      if (!(error instanceof Error)) throw error
    })
    return () => {
      isGone = true
      stopAsking()
    }
  }, [isOn, options, keeper])
}
