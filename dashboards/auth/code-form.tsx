import { useEffect, useRef, useState } from 'react'
import type { ReactNode } from 'react'
import { Button } from '../kit/button.tsx'
import { useNow } from '../kit/use-now.ts'
import { useToast } from '../kit/toast.tsx'
import { useAuth } from './auth-provider.tsx'
import { sendCode, verifyCode } from './sign-in.ts'
import { ProblemLine } from './problem-line.tsx'
import { useAction } from './use-action.ts'

const digits = 6
/** Auth servers send no second e-mail before that. */
const againAfterMs = 60_000

/** Asks for the code that was sent. It is tried as soon as it is whole. */
export function CodeForm({ email, onBack }: { readonly email: string; readonly onBack: () => void }): ReactNode {
  const { options, keeper } = useAuth()
  const [code, setCode] = useState('')
  const [sentAt, setSentAt] = useState(Date.now)
  const { isBusy, problem, run, clear } = useAction()
  const say = useToast()
  const field = useRef<HTMLInputElement>(null)
  const wait = Math.min(againAfterMs / 1000, Math.ceil((sentAt + againAfterMs - useNow()) / 1000))
  useEffect(() => field.current?.focus(), [])

  const trial = (text: string): void =>
    void run(async () => keeper.adopt(await verifyCode(options, email, text))).then((isDone) => {
      if (isDone) return
      setCode('')
      field.current?.focus()
    })
  const type = (text: string): void => {
    const whole = text.replaceAll(/\D/g, '').slice(0, digits)
    clear()
    setCode(whole)
    if (whole.length === digits && !isBusy) trial(whole)
  }
  return (
    <form
      className="stack"
      onSubmit={(event) => {
        event.preventDefault()
        if (code.length === digits) trial(code)
      }}
    >
      <div className="sign-in-head">
        <h1>Type the code</h1>
        <p className="soft">
          If <b className="wrap">{email}</b> can receive e-mails, one with a code of {digits} digits is on its way. The
          link in it works in this browser too.
        </p>
      </div>
      <label className="field">
        <span>Code</span>
        {/* Not disabled while it is tried: that would take the focus away. */}
        <input
          ref={field}
          className="input code-input"
          inputMode="numeric"
          autoComplete="one-time-code"
          pattern={`\\d{${digits}}`}
          required
          value={code}
          readOnly={isBusy}
          aria-invalid={problem !== undefined}
          onChange={(event) => type(event.target.value)}
        />
      </label>
      <ProblemLine problem={problem} />
      <Button type="submit" look="strong" disabled={isBusy || code.length < digits}>
        {isBusy ? 'One moment…' : 'Sign in'}
      </Button>
      <div className="button-row apart">
        <Button look="plain" isSmall onClick={onBack}>
          Another address
        </Button>
        <Button
          look="plain"
          isSmall
          disabled={isBusy || wait > 0}
          onClick={() =>
            void run(async () => {
              await sendCode(options, email)
              setSentAt(Date.now())
              say('Another e-mail is on its way.')
            })
          }
        >
          {wait > 0 ? `Send it again in ${wait} s` : 'Send it again'}
        </Button>
      </div>
    </form>
  )
}
