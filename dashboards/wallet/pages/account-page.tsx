import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import type { ReactNode } from 'react'
import { useAuth } from '../../auth/auth-provider.tsx'
import { ProblemLine, useAction } from '../../auth/action.tsx'
import { problemText, callJson, jsonBody } from '../../auth/auth-service.ts'
import { Button } from '../../kit/controls.tsx'
import { navigate, useSearchValue } from '../../kit/router.tsx'
import { ErrorState, Loading } from '../../kit/state.tsx'
import { useToast } from '../../kit/toast.tsx'
import { Dialog } from '../../kit/dialog.tsx'
import { useOwnAccounts } from '../own.ts'
import type { Auth } from '../../auth/auth-provider.tsx'
import type { SessionUser } from '../../auth/session.ts'
import { withConfirmation } from '../chain/passkeys.ts'

const userKey = ['own', 'user']
const digits = 6

/** The user's e-mail address; a new one is confirmed by a code sent to it. */
export function EmailAddress(): ReactNode {
  const auth = useAuth()
  const { data: user, error, refetch } = useQuery({ queryKey: userKey, queryFn: () => readUser(auth) })
  const [token] = useSearchValue('email_change')
  const [isChanging, setIsChanging] = useState(false)
  const client = useQueryClient()
  const showToast = useToast()
  const confirm = async (proof: EmailProof): Promise<void> => {
    await confirmEmail(auth, proof)
    await client.invalidateQueries({ queryKey: userKey })
    setIsChanging(false)
    navigate('/account', { isReplacing: true })
    showToast('Your e-mail address was changed.')
  }
  const isAsked = user?.new_email !== undefined && !isChanging
  return (
    <section className="panel" aria-label="E-mail address">
      {user === undefined && error === null && <Loading label="Your e-mail address loads" rows={1} />}
      {user === undefined && error !== null && (
        <ErrorState
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

/** For whoever left a session open somewhere. */
export function SignOutEverywhere(): ReactNode {
  const { keeper } = useAuth()
  const { isBusy, problem, run } = useAction()
  return (
    <section className="panel" aria-label="Sessions">
      <div className="panel-text apart">
        <span>Did you leave a session open on another device?</span>
        <Button
          isSmall
          disabled={isBusy}
          onClick={() =>
            void run(async () => {
              await keeper.signOut('global')
              navigate('/', { isReplacing: true })
            })
          }
        >
          Sign out everywhere
        </Button>
      </div>
      <ProblemLine problem={problem} />
    </section>
  )
}

const word = 'DELETE'

/** The way out for good: what goes and what stays is said before. */
export function DeleteAccount(): ReactNode {
  const [isOpen, setIsOpen] = useState(false)
  return (
    <section className="panel" aria-label="Deletion">
      <div className="panel-text apart">
        <span>Do you want to leave? Move what is in your accounts first.</span>
        <Button isSmall look="danger" onClick={() => setIsOpen(true)}>
          Delete my user
        </Button>
      </div>
      {isOpen && <DeleteDialog onClose={() => setIsOpen(false)} />}
    </section>
  )
}

function DeleteDialog({ onClose }: { readonly onClose: () => void }): ReactNode {
  const auth = useAuth()
  const { data: accounts } = useOwnAccounts()
  const [typed, setTyped] = useState('')
  const { isBusy, problem, run } = useAction()
  const remove = (): void =>
    void run(async () => {
      await deleteUser(
        auth,
        (accounts ?? []).map(({ address }) => address),
      )
      navigate('/', { isReplacing: true })
    })
  return (
    <Dialog
      title="Delete your user?"
      action="Delete for good"
      isDangerous
      isBusy={isBusy || typed.trim() !== word || accounts === undefined}
      error={problem}
      onSubmit={remove}
      onClose={onClose}
    >
      <p>
        Your e-mail address, your sign-ins, and the projects that you keep in the editor are deleted here. Nobody can
        bring them back.
      </p>
      <p>Your passkeys sign in nobody any more. They stay on your devices until you remove them there.</p>
      <p className="banner bad">
        Accounts on Flow cannot be deleted: they stay on the chain with all that is in them, and this wallet signs
        nothing for them any more.
        {accounts !== undefined && accounts.length > 0 && (
          <>
            {' '}
            You have {accounts.map(({ address }) => address).join(' and ')}: send what is there to another account
            first, or add a key of another wallet.
          </>
        )}
      </p>
      <label className="field">
        <span>Type {word} to confirm</span>
        <input
          className="input"
          autoComplete="off"
          spellCheck={false}
          value={typed}
          onChange={(event) => setTyped(event.target.value)}
        />
      </label>
    </Dialog>
  )
}

/** Account operations at the wallet's auth endpoint. All throw ApiProblem, or browser errors of a prompt. */

type Access = Pick<Auth, 'options' | 'keeper'>

/** `GET /user` */
interface OwnUser extends SessionUser {
  /** An address that waits for its code. */
  readonly new_email?: string
}

/** What shows that an address is theirs: the code of the e-mail, or the token of its link. */
type EmailProof = { readonly email: string; readonly token: string } | { readonly token_hash: string }

async function readUser(access: Access): Promise<OwnUser> {
  return await call<OwnUser>(access, 'GET', '/user')
}

/** Has an e-mail with a code sent to the new address. */
async function askForEmail(access: Access, email: string): Promise<OwnUser> {
  const back = new URLSearchParams({ redirect_to: new URL('/account', location.origin).href })
  return withConfirmation(access, { action: 'change-email', email }, (confirmation) =>
    call<OwnUser>(access, 'PUT', `/user?${back.toString()}`, { email, confirmation }),
  )
}

/** The address is theirs from now on; the page is told so by its session. */
async function confirmEmail(access: Access, proof: EmailProof): Promise<void> {
  await call(access, 'POST', '/verify', { type: 'email_change', ...proof })
  await access.keeper.load()
}

/**
 * Nothing brings it back. Ends with nobody signed in, in all tabs.
 * @param abandon accounts that nobody can sign for afterwards
 */
async function deleteUser(access: Access, abandon: readonly string[]): Promise<void> {
  await withConfirmation(access, { action: 'delete-user', abandon }, (confirmation) =>
    call(access, 'DELETE', '/user', { confirmation, abandon }),
  )
  // The session went with the user: what is left of it is the cookie.
  await access.keeper.signOut()
}

async function call<Answer>(
  { options, keeper }: Access,
  method: string,
  path: string,
  body?: unknown,
): Promise<Answer> {
  const headers = { authorization: `Bearer ${await keeper.accessToken()}` }
  const sent =
    body === undefined
      ? { headers }
      : { ...jsonBody(body), headers: { ...headers, 'content-type': 'application/json' } }
  return callJson<Answer>(`${options.gotrueUrl}${path}`, { ...sent, method })
}
