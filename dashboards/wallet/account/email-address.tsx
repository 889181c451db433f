import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import type { ReactNode } from 'react'
import { useAuth } from '../../auth/auth-provider.tsx'
import { ProblemLine } from '../../auth/problem-line.tsx'
import { problemText } from '../../auth/problem.ts'
import { useAction } from '../../auth/use-action.ts'
import { Button } from '../../kit/button.tsx'
import { navigate, useSearchValue } from '../../kit/router.ts'
import { Failure, Loading } from '../../kit/state.tsx'
import { useToast } from '../../kit/toast.tsx'
import { askForEmail, confirmEmail, readUser } from './account.ts'
import type { EmailProof } from './account.ts'

const userKey = ['own', 'user']
const digits = 6

/** The e-mail address of whoever is signed in, and the way to another one: asked for, and theirs when its code is shown here. */
export function EmailAddress(): ReactNode {
  const auth = useAuth()
  const { data: user, error, refetch } = useQuery({ queryKey: userKey, queryFn: () => readUser(auth) })
  const [token] = useSearchValue('email_change')
  const [isChanging, setIsChanging] = useState(false)
  const client = useQueryClient()
  const say = useToast()
  const confirm = async (proof: EmailProof): Promise<void> => {
    await confirmEmail(auth, proof)
    await client.invalidateQueries({ queryKey: userKey })
    setIsChanging(false)
    navigate('/account', { isReplacing: true })
    say('Your e-mail address was changed.')
  }
  const isAsked = user?.new_email !== undefined && !isChanging
  return (
    <section className="panel" aria-label="E-mail address">
      {user === undefined && error === null && <Loading label="Your e-mail address loads" rows={1} />}
      {user === undefined && error !== null && (
        <Failure
          title="Your e-mail address cannot be shown"
          detail={problemText(error)}
          onRetry={() => void refetch()}
        />
      )}
      {user !== undefined && (
        <div className="panel-text stack">
          <div className="apart">
            {(user.email ?? '') === '' ? (
              <span>You have no e-mail address here.</span>
            ) : (
              <span>
                You sign in as <b className="wrap">{user.email}</b>.
              </span>
            )}
            {!isChanging && !isAsked && token === '' && (
              <Button isSmall onClick={() => setIsChanging(true)}>
                {(user.email ?? '') === '' ? 'Add one' : 'Change it'}
              </Button>
            )}
          </div>
          {token !== '' && <ByLink onConfirm={() => confirm({ token_hash: token })} />}
          {token === '' && isChanging && (
            <NewAddress onAsked={() => setIsChanging(false)} onClose={() => setIsChanging(false)} />
          )}
          {token === '' && isAsked && (
            <ByCode
              email={user.new_email ?? ''}
              onConfirm={(code) => confirm({ email: user.new_email ?? '', token: code })}
              onBack={() => setIsChanging(true)}
            />
          )}
        </div>
      )}
    </section>
  )
}

function NewAddress({ onAsked, onClose }: { readonly onAsked: () => void; readonly onClose: () => void }): ReactNode {
  const auth = useAuth()
  const client = useQueryClient()
  const [email, setEmail] = useState('')
  const { isBusy, problem, run } = useAction()
  const ask = (): void =>
    void run(async () => {
      client.setQueryData(userKey, await askForEmail(auth, email.trim()))
      onAsked()
    })
  return (
    <form
      className="stack"
      onSubmit={(event) => {
        event.preventDefault()
        ask()
      }}
    >
      <label className="field">
        <span>New e-mail address</span>
        <input
          className="input"
          type="email"
          required
          maxLength={320}
          autoComplete="email"
          spellCheck={false}
          autoFocus
          value={email}
          onChange={(event) => setEmail(event.target.value)}
        />
      </label>
      <ProblemLine problem={problem} />
      <div className="button-row">
        <Button type="submit" look="strong" disabled={isBusy || email.trim() === ''}>
          {isBusy ? 'One moment…' : 'Send a code there'}
        </Button>
        <Button look="plain" onClick={onClose}>
          Cancel
        </Button>
      </div>
    </form>
  )
}

interface ByCodeProps {
  readonly email: string
  readonly onConfirm: (code: string) => Promise<void>
  readonly onBack: () => void
}

function ByCode({ email, onConfirm, onBack }: ByCodeProps): ReactNode {
  const [code, setCode] = useState('')
  const { isBusy, problem, run, clear } = useAction()
  const confirm = async (): Promise<void> => {
    if (!(await run(() => onConfirm(code)))) setCode('')
  }
  return (
    <form
      className="stack"
      onSubmit={(event) => {
        event.preventDefault()
        void confirm()
      }}
    >
      <p>
        An e-mail with a code of {digits} digits is on its way to <b className="wrap">{email}</b>. Until you type it
        here, nothing changes; afterwards the old address is told.
      </p>
      <label className="field">
        <span>Code</span>
        <input
          className="input code-input"
          inputMode="numeric"
          autoComplete="one-time-code"
          pattern={`\\d{${digits}}`}
          required
          value={code}
          readOnly={isBusy}
          aria-invalid={problem !== undefined}
          onChange={(event) => {
            clear()
            setCode(event.target.value.replaceAll(/\D/g, '').slice(0, digits))
          }}
        />
      </label>
      <ProblemLine problem={problem} />
      <div className="button-row">
        <Button type="submit" look="strong" disabled={isBusy || code.length < digits}>
          {isBusy ? 'One moment…' : 'Change my address'}
        </Button>
        <Button look="plain" onClick={onBack}>
          Another address
        </Button>
      </div>
    </form>
  )
}

/** Who comes by the link of the e-mail says so once more: programs that look at links change nothing. */
function ByLink({ onConfirm }: { readonly onConfirm: () => Promise<void> }): ReactNode {
  const { isBusy, problem, run } = useAction()
  return (
    <div className="stack">
      <p>You came by the link of an e-mail to a new address of yours.</p>
      <ProblemLine problem={problem} />
      <div className="button-row">
        <Button look="strong" disabled={isBusy} onClick={() => void run(onConfirm)}>
          Use the new address
        </Button>
        <Button look="plain" onClick={() => navigate('/account', { isReplacing: true })}>
          Leave it as it is
        </Button>
      </div>
    </div>
  )
}
