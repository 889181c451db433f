import { useEffect } from 'react'
import type { ReactNode } from 'react'
import { useAuth } from '../../auth/auth-provider.tsx'
import { ProblemLine, useAction } from '../../auth/action.tsx'
import { callJson, jsonBody } from '../../auth/auth-service.ts'
import { SignInForm } from '../../auth/sign-in-form.tsx'
import { Button } from '../../kit/controls.tsx'
import type { ClientSettings } from '../answers.gen.ts'
import { CenteredCard, SessionCheck } from './layout.tsx'
import { useSettings } from '../own-data.ts'

export const authorizePath = '/authorize'
const place = 'flowfarm-authorize'

export function takePendingRequest(): string | undefined {
  const pending = sessionStorage.getItem(place) ?? ''
  sessionStorage.removeItem(place)
  return pending.startsWith(`${authorizePath}?`) ? pending : undefined
}

export function AuthorizePage(): ReactNode {
  const { clients } = useSettings()
  const { state } = useAuth()
  const parameters = new URLSearchParams(location.search)
  const client = clients.find(
    (one) => one.client_id === parameters.get('client_id') && one.redirect_uri === parameters.get('redirect_uri'),
  )
  useEffect(() => {
    document.title = 'Sign in – flowfarm wallet'
    if (client !== undefined) sessionStorage.setItem(place, `${location.pathname}${location.search}`)
  }, [client])
  if (client === undefined) {
    return (
      <CenteredCard>
        <h1>Invalid sign-in link</h1>
        <p>No program with this redirect address is registered. Go back to the program and sign in again.</p>
      </CenteredCard>
    )
  }
  if (state.status === 'loading' || state.status === 'unknown') return <SessionCheck />
  if (state.status === 'signed-out') {
    return (
      <CenteredCard>
        <SignInForm>
          <div className="sign-in-head">
            <h1>Sign in to {client.name}</h1>
            <p className="soft">Sign in at your wallet to return to {new URL(client.redirect_uri).host}.</p>
          </div>
        </SignInForm>
      </CenteredCard>
    )
  }
  return <Consent client={client} parameters={parameters} email={state.session.user.email ?? ''} />
}

interface ConsentProps {
  readonly client: ClientSettings
  readonly parameters: URLSearchParams
  readonly email: string
}

function Consent({ client, parameters, email }: ConsentProps): ReactNode {
  const { sessionManager } = useAuth()
  const { isBusy, problem, run } = useAction()
  const leave = (address: string): void => {
    sessionStorage.removeItem(place)
    location.assign(address)
  }
  const allow = (): void =>
    void run(async () => {
      const names = ['response_type', 'client_id', 'redirect_uri', 'state', 'code_challenge', 'code_challenge_method']
      const body = Object.fromEntries(names.map((name) => [name, parameters.get(name) ?? '']))
      const post = jsonBody(body)
      const { redirect_to: address } = await callJson<{ readonly redirect_to: string }>('/oauth/authorize', {
        ...post,
        headers: { 'content-type': 'application/json', authorization: `Bearer ${await sessionManager.accessToken()}` },
      })
      leave(address)
    })
  const refuse = (): void => {
    const back = new URL(client.redirect_uri)
    back.search = new URLSearchParams({ error: 'access_denied', state: parameters.get('state') ?? '' }).toString()
    leave(back.href)
  }
  return (
    <CenteredCard>
      <div className="stack">
        <h1>Sign in to {client.name}?</h1>
        <p>
          You are signed in{' '}
          {email === '' ? (
            'without an e-mail address'
          ) : (
            <>
              as <b className="wrap">{email}</b>
            </>
          )}{' '}
          and return to {new URL(client.redirect_uri).host}.
        </p>
        <p className="soft">
          {client.name} can read and change your projects. It cannot use your passkeys or change how you sign in.
        </p>
        <ProblemLine problem={problem} />
        <Button look="strong" disabled={isBusy} onClick={allow}>
          {isBusy ? 'Signing in…' : 'Continue'}
        </Button>
        <div className="button-row apart">
          <Button look="plain" isSmall disabled={isBusy} onClick={() => void run(() => sessionManager.signOut())}>
            Sign in as another user
          </Button>
          <Button look="plain" isSmall disabled={isBusy} onClick={refuse}>
            Cancel
          </Button>
        </div>
      </div>
    </CenteredCard>
  )
}
