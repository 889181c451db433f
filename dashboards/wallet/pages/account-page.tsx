import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import type { ReactNode } from 'react'
import { useAuth } from '../../auth/auth-provider.tsx'
import { CodeField, codeDigits, ProblemLine, QueryState, useAction } from '../../auth/action.tsx'
import { callJson, jsonBody } from '../../auth/auth-service.ts'
import { Button, Form } from '../../kit/controls.tsx'
import { navigate, useSearchValue } from '../../kit/router.tsx'
import { useToast } from '../../kit/toast.tsx'
import { Dialog } from '../../kit/dialog.tsx'
import { useOwnAccounts } from '../own-data.ts'
import type { Auth } from '../../auth/auth-provider.tsx'
import type { SessionUser } from '../../auth/session.ts'
import { withConfirmation } from '../chain/passkeys.ts'

const userKey = ['own', 'user']

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
  const isPending = user?.new_email !== undefined && !isChanging
  return (
    <section className="panel" aria-label="E-mail address">
      {user === undefined && <QueryState what="your e-mail address" rows={1} error={error} refetch={refetch} />}
      {user !== undefined && (
        <div className="panel-text stack">
          <div className="apart">
            {(user.email ?? '') === '' ? (
              <span>No e-mail address</span>
            ) : (
              <span>
                You sign in as <b className="wrap">{user.email}</b>.
              </span>
            )}
            {!isChanging && !isPending && token === '' && (
              <Button isSmall onClick={() => setIsChanging(true)}>
                {(user.email ?? '') === '' ? 'Add' : 'Change'}
              </Button>
            )}
          </div>
          {token !== '' && <ByLink onConfirm={() => confirm({ token_hash: token })} />}
          {token === '' && isChanging && (
            <NewAddress onRequested={() => setIsChanging(false)} onClose={() => setIsChanging(false)} />
          )}
          {token === '' && isPending && (
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

function NewAddress({
  onRequested,
  onClose,
}: {
  readonly onRequested: () => void
  readonly onClose: () => void
}): ReactNode {
  const auth = useAuth()
  const client = useQueryClient()
  const [email, setEmail] = useState('')
  const { isBusy, problem, run } = useAction()
  const ask = (): void =>
    void run(async () => {
      client.setQueryData(userKey, await requestEmailCode(auth, email.trim()))
      onRequested()
    })
  return (
    <Form className="stack" onSubmit={ask}>
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
          {isBusy ? 'Sending…' : 'Send code'}
        </Button>
        <Button look="plain" onClick={onClose}>
          Cancel
        </Button>
      </div>
    </Form>
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
    <Form
      className="stack"
      onSubmit={() => {
        void confirm()
      }}
    >
      <p>
        We sent a code of {codeDigits} digits to <b className="wrap">{email}</b>. Enter it to confirm the change. The
        old address receives a notice.
      </p>
      <CodeField
        code={code}
        isBusy={isBusy}
        isInvalid={problem !== undefined}
        onType={(text) => {
          clear()
          setCode(text)
        }}
      />
      <ProblemLine problem={problem} />
      <div className="button-row">
        <Button type="submit" look="strong" disabled={isBusy || code.length < codeDigits}>
          {isBusy ? 'Confirming…' : 'Confirm address'}
        </Button>
        <Button look="plain" onClick={onBack}>
          Use another address
        </Button>
      </div>
    </Form>
  )
}

/** Link scanners must not change the address, so the link needs a click here. */
function ByLink({ onConfirm }: { readonly onConfirm: () => Promise<void> }): ReactNode {
  const { isBusy, problem, run } = useAction()
  return (
    <div className="stack">
      <p>Confirm the new e-mail address of this link.</p>
      <ProblemLine problem={problem} />
      <div className="button-row">
        <Button look="strong" disabled={isBusy} onClick={() => void run(onConfirm)}>
          Use the new address
        </Button>
        <Button look="plain" onClick={() => navigate('/account', { isReplacing: true })}>
          Keep the current address
        </Button>
      </div>
    </div>
  )
}

const word = 'DELETE'

export function DeleteAccount(): ReactNode {
  const [isOpen, setIsOpen] = useState(false)
  return (
    <section className="panel" aria-label="Deletion">
      <div className="panel-text apart">
        <span>Delete your user. Move the assets of your accounts first.</span>
        <Button isSmall look="danger" onClick={() => setIsOpen(true)}>
          Delete user
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
      action="Delete permanently"
      isDangerous
      isBusy={isBusy || typed.trim() !== word || accounts === undefined}
      error={problem}
      onSubmit={remove}
      onClose={onClose}
    >
      <p>This deletes your e-mail address, your sign-in history and your editor projects. It cannot be undone.</p>
      <p>Your passkeys no longer sign you in. They stay on your devices until you remove them there.</p>
      <p className="banner bad">
        Flow accounts cannot be deleted: they stay on the chain with their assets, but this wallet can no longer sign
        for them.
        {accounts !== undefined && accounts.length > 0 && (
          <>
            {' '}
            You have {accounts.map(({ address }) => address).join(' and ')}. Transfer their assets to another account
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

/** All functions throw ApiProblem, or browser errors of a prompt. */

type Access = Pick<Auth, 'options' | 'sessionManager'>

/** `GET /user` */
interface OwnUser extends SessionUser {
  /** Unconfirmed. */
  readonly new_email?: string
}

type EmailProof = { readonly email: string; readonly token: string } | { readonly token_hash: string }

async function readUser(access: Access): Promise<OwnUser> {
  return await call<OwnUser>(access, 'GET', '/user')
}

async function requestEmailCode(access: Access, email: string): Promise<OwnUser> {
  const back = new URLSearchParams({ redirect_to: new URL('/account', location.origin).href })
  return withConfirmation(access, { action: 'change-email', email }, (confirmation) =>
    call<OwnUser>(access, 'PUT', `/user?${back.toString()}`, { email, confirmation }),
  )
}

async function confirmEmail(access: Access, proof: EmailProof): Promise<void> {
  await call(access, 'POST', '/verify', { type: 'email_change', ...proof })
  await access.sessionManager.load()
}

/** Signs out in all tabs. @param abandon accounts that lose their last usable key */
async function deleteUser(access: Access, abandon: readonly string[]): Promise<void> {
  await withConfirmation(access, { action: 'delete-user', abandon }, (confirmation) =>
    call(access, 'DELETE', '/user', { confirmation, abandon }),
  )
  // Clears the cookie.
  await access.sessionManager.signOut()
}

async function call<Answer>(
  { options, sessionManager }: Access,
  method: string,
  path: string,
  body?: unknown,
): Promise<Answer> {
  const headers = { authorization: `Bearer ${await sessionManager.accessToken()}` }
  const sent =
    body === undefined
      ? { headers }
      : { ...jsonBody(body), headers: { ...headers, 'content-type': 'application/json' } }
  return callJson<Answer>(`${options.gotrueUrl}${path}`, { ...sent, method })
}
