import { useQuery } from '@tanstack/react-query'
import { useEffect, useState } from 'react'
import type { ReactNode } from 'react'
import { Button } from '../kit/button.tsx'
import { Icon } from '../kit/icon.tsx'
import { useAuth } from './auth-provider.tsx'
import { CodeForm } from './code-form.tsx'
import { ProblemLine } from './problem-line.tsx'
import { canAutofill, oauthNames, offeredOAuth, sendCode, signInByPasskey, startOAuth, stopAsking } from './sign-in.ts'
import { useAction } from './use-action.ts'

/**
 * The ways in: a passkey, a code by e-mail, and whatever else the auth server offers.
 * @param children what stands above them, until a code is asked for
 */
export function SignInForm({ children }: { readonly children: ReactNode }): ReactNode {
  const { options, keeper } = useAuth()
  const [email, setEmail] = useState('')
  const [sentTo, setSentTo] = useState<string>()
  const { isBusy, problem, run } = useAction()
  const { data: others = [] } = useQuery({ queryKey: ['others'], queryFn: ({ signal }) => offeredOAuth(options, signal), staleTime: Infinity })
  useAutofill(sentTo === undefined)

  const byPasskey = (): void => void run(async () => keeper.adopt(await signInByPasskey(options)))
  const byCode = (): void => void run(async () => {
    const to = email.trim()
    await sendCode(options, to)
    stopAsking()
    setSentTo(to)
  })
  if (sentTo !== undefined) return <CodeForm email={sentTo} onBack={() => setSentTo(undefined)} />
  return (
    <>
      {children}
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
    </>
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
