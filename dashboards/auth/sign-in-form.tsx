import { useQuery } from '@tanstack/react-query'
import { useEffect, useState, useRef } from 'react'
import type { ReactNode } from 'react'
import { Button, Form, Icon } from '../kit/controls.tsx'
import { useToast } from '../kit/toast.tsx'
import { useNow } from '../kit/time.tsx'
import { useAuth } from './auth-provider.tsx'
import { CodeField, codeDigits, ProblemLine, useAction } from './action.tsx'
import { problemText } from './auth-service.ts'
import {
  canAutofill,
  oauthNames,
  offeredOAuth,
  sendCode,
  signInByPasskey,
  startOAuth,
  cancelPasskeyPrompt,
  verifyCode,
} from './sign-in.ts'

export function SignInForm({ children }: { readonly children: ReactNode }): ReactNode {
  const { options, sessionManager } = useAuth()
  const [email, setEmail] = useState('')
  const [sentTo, setSentTo] = useState<string>()
  const { isBusy, problem, run } = useAction()
  const { data: others = [] } = useQuery({
    queryKey: ['others'],
    queryFn: ({ signal }) => offeredOAuth(options, signal),
    staleTime: Infinity,
  })
  const [offerProblem, setOfferProblem] = useState<string>()
  useAutofill(sentTo === undefined && !isBusy, setOfferProblem)

  const begin = (act: () => Promise<void>): void => {
    setOfferProblem(undefined)
    void run(act)
  }
  const byPasskey = (): void => begin(async () => sessionManager.adopt(await signInByPasskey(options)))
  const byCode = (): void =>
    begin(async () => {
      const to = email.trim()
      await sendCode(options, to)
      cancelPasskeyPrompt()
      setSentTo(to)
    })
  if (sentTo !== undefined) return <CodeForm email={sentTo} onBack={() => setSentTo(undefined)} />
  return (
    <>
      {children}
      <Button look="strong" disabled={isBusy} onClick={byPasskey}>
        <Icon name="key" /> Sign in with a passkey
      </Button>
      <p className="or">
        <span>or sign in or register by e-mail</span>
      </p>
      <Form className="stack" onSubmit={byCode}>
        <label className="field">
          <span>E-mail address</span>
          <input
            className="input"
            type="email"
            name="email"
            required
            maxLength={320}
            autoComplete="username webauthn"
            inputMode="email"
            spellCheck={false}
            placeholder="you@example.com"
            value={email}
            onChange={(event) => setEmail(event.target.value)}
          />
        </label>
        <Button type="submit" disabled={isBusy || email.trim() === ''}>
          Send code
        </Button>
      </Form>
      {others.length > 0 && (
        <div className="others">
          {others.map((name) => (
            <Button key={name} disabled={isBusy} onClick={() => begin(() => startOAuth(options, name))}>
              Sign in with {oauthNames[name]}
            </Button>
          ))}
        </div>
      )}
      <ProblemLine problem={problem ?? offerProblem} />
    </>
  )
}

/** Challenges expire after five minutes, and pages stay open longer. */
const offerMs = 240_000
const checkMs = 30_000
/** Limits authenticators that answer automatically and are rejected each time. */
const maxRefusals = 5

/**
 * Passkeys in the autofill of the e-mail field. Only errors of a passkey that the user picked are
 * reported.
 */
function useAutofill(isOn: boolean, onProblem: (problem: string) => void): void {
  const { options, sessionManager } = useAuth()
  useEffect(() => {
    if (!isOn) return
    let isGone = false
    let isGiven = false
    let refusals = 0
    let offeredAt = Date.now()
    const offer = async (): Promise<void> => {
      offeredAt = Date.now()
      if (!(await canAutofill()) || isGone) return
      const token = await signInByPasskey(options, { isAutofill: true, onGiven: () => (isGiven = true) })
      if (!isGone) await sessionManager.adopt(token)
    }
    const begin = (): void =>
      void offer().catch((error: unknown) => {
        if (!(error instanceof Error)) throw error
        if (isGone || !isGiven) return
        isGiven = false
        onProblem(problemText(error))
        if (++refusals < maxRefusals) begin()
      })
    const renew = (): void => {
      if (document.visibilityState === 'visible' && !isGiven && Date.now() - offeredAt > offerMs) begin()
    }
    begin()
    const timer = setInterval(renew, checkMs)
    document.addEventListener('visibilitychange', renew)
    return () => {
      isGone = true
      clearInterval(timer)
      document.removeEventListener('visibilitychange', renew)
      cancelPasskeyPrompt()
    }
  }, [isOn, options, sessionManager, onProblem])
}

/** Minimum time between two e-mails of auth servers, s. */
const againAfterMs = 60_000

function CodeForm({ email, onBack }: { readonly email: string; readonly onBack: () => void }): ReactNode {
  const { options, sessionManager } = useAuth()
  const [code, setCode] = useState('')
  const [sentAt, setSentAt] = useState(Date.now)
  const { isBusy, problem, run, clear } = useAction()
  const showToast = useToast()
  const field = useRef<HTMLInputElement>(null)
  const wait = Math.min(againAfterMs / 1000, Math.ceil((sentAt + againAfterMs - useNow()) / 1000))
  useEffect(() => field.current?.focus(), [])

  const trial = (text: string): void =>
    void run(async () => sessionManager.adopt(await verifyCode(options, email, text))).then((isDone) => {
      if (isDone) return
      setCode('')
      field.current?.focus()
    })
  const type = (text: string): void => {
    clear()
    setCode(text)
    if (text.length === codeDigits && !isBusy) trial(text)
  }
  return (
    <Form
      className="stack"
      onSubmit={() => {
        if (code.length === codeDigits) trial(code)
      }}
    >
      <div className="sign-in-head">
        <h1>Enter the code</h1>
        <p className="soft">
          We sent a code of {codeDigits} digits to <b className="wrap">{email}</b>. The link in the e-mail works in this
          browser, too.
        </p>
      </div>
      <CodeField ref={field} code={code} isBusy={isBusy} isInvalid={problem !== undefined} onType={type} />
      <ProblemLine problem={problem} />
      <Button type="submit" look="strong" disabled={isBusy || code.length < codeDigits}>
        {isBusy ? 'Signing in…' : 'Sign in'}
      </Button>
      <div className="button-row apart">
        <Button look="plain" isSmall onClick={onBack}>
          Use another address
        </Button>
        <Button
          look="plain"
          isSmall
          disabled={isBusy || wait > 0}
          onClick={() =>
            void run(async () => {
              await sendCode(options, email)
              setSentAt(Date.now())
              showToast('A new code was sent.')
            })
          }
        >
          {wait > 0 ? `Resend in ${wait} s` : 'Resend code'}
        </Button>
      </div>
    </Form>
  )
}
