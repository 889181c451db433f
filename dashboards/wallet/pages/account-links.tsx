import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import type { ReactNode } from 'react'
import { ProblemLine, QueryState, useAction } from '../../auth/action.tsx'
import { useAuth } from '../../auth/auth-provider.tsx'
import { Badge, Button, Form } from '../../kit/controls.tsx'
import { Link, navigate } from '../../kit/router.tsx'
import { Ago } from '../../kit/time.tsx'
import { CopyButton, useToast } from '../../kit/toast.tsx'
import { passkeyName } from '../chain/passkey-keys.ts'
import {
  endSession,
  listProjects,
  listSessions,
  makeApiKey,
  readDeveloperAccess,
  revokeApiKey,
} from '../chain/passkeys.ts'
import { usePasskeys, usePolicies, useRefresh, useSettings } from '../own-data.ts'
import type { ApiKeyRow, SessionRow } from '../types.ts'

export function OwnPasskeys(): ReactNode {
  const { data } = usePasskeys()
  return (
    <LinkPanel
      label="Passkeys"
      text={data === undefined || data.length === 0 ? 'No passkeys yet' : data.map(passkeyName).join(', ')}
      to="/passkeys"
      action="Manage passkeys"
    />
  )
}

export function OwnApps(): ReactNode {
  const { data } = usePolicies()
  const origins = data?.map(({ origin }) => origin).join(', ')
  return (
    <LinkPanel
      label="Applications"
      text={
        origins === undefined || origins === ''
          ? 'Applications sign only what you confirm. No application has limits.'
          : `With limits: ${origins}`
      }
      to="/apps"
      action="Manage apps"
    />
  )
}

function LinkPanel({
  label,
  text,
  to,
  action,
}: Readonly<Record<'label' | 'text' | 'to' | 'action', string>>): ReactNode {
  return (
    <section className="panel" aria-label={label}>
      <header>
        <h2>{label}</h2>
      </header>
      <div className="panel-text apart">
        <span className="wrap">{text}</span>
        <Link className="button small" to={to}>
          {action}
        </Link>
      </div>
    </section>
  )
}

/** @param isListed an external auth server does not list its sessions */
export function Sessions({ isListed }: { readonly isListed: boolean }): ReactNode {
  const auth = useAuth()
  const { data, error, refetch } = useQuery({
    queryKey: ['own', 'sessions'],
    queryFn: () => listSessions(auth),
    enabled: isListed,
  })
  const { isBusy, problem, run } = useAction()
  const signOutEverywhere = (): void =>
    void run(async () => {
      await auth.sessionManager.signOut('global')
      navigate('/', { isReplacing: true })
    })
  return (
    <section className="panel" aria-label="Sessions">
      <header>
        <h2>Sessions</h2>
      </header>
      {isListed && data === undefined && <QueryState what="your sessions" rows={1} error={error} refetch={refetch} />}
      <ul className="rows">
        {data?.map((session) => (
          <Session key={session.id} session={session} />
        ))}
      </ul>
      <div className="panel-text apart">
        <span>Sign out on all devices, including this one, and of the editor.</span>
        <Button isSmall disabled={isBusy} onClick={signOutEverywhere}>
          Sign out everywhere
        </Button>
      </div>
      <ProblemLine problem={problem} />
    </section>
  )
}

const methods: Readonly<Record<string, string>> = { otp: 'e-mail', webauthn: 'passkey', oauth: 'GitHub or Google' }

function Session({ session }: { readonly session: SessionRow }): ReactNode {
  const { id, method, program, from, userAgent, signedInAt, lastUsedAt, isCurrent } = session
  const auth = useAuth()
  const reload = useRefresh()
  const { isBusy, problem, run } = useAction()
  const name = program === null ? 'Wallet' : program.slice(0, 1).toUpperCase() + program.slice(1)
  const end = (): void =>
    void run(async () => {
      await endSession(auth, id)
      await reload()
    })
  return (
    <li>
      <span className="row-main">
        <span className="row-name">
          {name} {isCurrent && <Badge tone="good">This browser</Badge>}
        </span>
        <span className="soft small wrap">
          Signed in by {methods[method] ?? method} <Ago at={signedInAt} /> · last used <Ago at={lastUsedAt} />
          {from !== null && ` · from ${from}`}
        </span>
        {userAgent !== null && userAgent !== '' && <span className="soft small wrap">{userAgent}</span>}
      </span>
      {!isCurrent && (
        <span className="row-actions">
          <Button isSmall disabled={isBusy} aria-label={`Sign out ${name} from ${from ?? 'unknown'}`} onClick={end}>
            Sign out
          </Button>
        </span>
      )}
      <ProblemLine problem={problem} />
    </li>
  )
}

export function LinkedEditor(): ReactNode {
  const auth = useAuth()
  const { clients } = useSettings()
  const editor = clients.find(({ client_id: id }) => id === 'editor')
  const { data, error, refetch } = useQuery({ queryKey: ['own', 'projects'], queryFn: () => listProjects(auth) })
  if (editor === undefined) return null
  const { origin } = new URL(editor.redirect_uri)
  return (
    <section className="panel" aria-label="Editor">
      <header>
        <h2>Editor</h2>
        <a className="button small" href={origin}>
          Open the editor
        </a>
      </header>
      {data === undefined && <QueryState what="your projects" rows={1} error={error} refetch={refetch} />}
      {data?.count === 0 && <p className="panel-text soft">Projects that you save in the editor appear here.</p>}
      <ul className="rows">
        {data?.projects.map((project) => (
          <li key={project.slug}>
            <span className="row-main">
              <a className="row-name wrap" href={`${origin}/p/${project.slug}`}>
                {project.name}
              </a>
              <span className="soft small wrap">
                {project.network} · {project.isPublic ? 'public' : 'private'} · changed <Ago at={project.updatedAt} />
                {project.repository !== null && ` · ${project.repository}`}
              </span>
              {project.deployKeys.map(({ environment, address }) => (
                <span key={environment} className="soft small wrap">
                  Deploy key of {environment}
                  {address !== null && ` for ${address}`}, a secret of the repository
                </span>
              ))}
            </span>
          </li>
        ))}
      </ul>
      {data !== undefined && data.count > data.projects.length && (
        <p className="soft small panel-text">
          The newest {data.projects.length} of {data.count} are shown.
        </p>
      )}
    </section>
  )
}

export function ApiKeys(): ReactNode {
  const auth = useAuth()
  const { data, error, refetch } = useQuery({ queryKey: ['own', 'keys'], queryFn: () => readDeveloperAccess(auth) })
  const reload = useRefresh()
  const [name, setName] = useState('')
  const [made, setMade] = useState<string>()
  const { isBusy, problem, run } = useAction()
  const make = (): void =>
    void run(async () => {
      setMade(await makeApiKey(auth, name.trim()))
      setName('')
      await reload()
    })
  return (
    <section className="panel" aria-label="API keys">
      <header>
        <h2>API keys and webhooks</h2>
      </header>
      <p className="panel-text soft">A key calls the explorer API and manages your webhooks. All keys share them.</p>
      {data === undefined && <QueryState what="your API keys" rows={1} error={error} refetch={refetch} />}
      {made !== undefined && (
        <div className="panel-text">
          <p className="banner" role="status">
            Copy the key now. It is not shown again.
          </p>
          <span className="address">
            <code className="wrap">{made}</code>
            <CopyButton text={made} what="API key" />
          </span>
        </div>
      )}
      <ul className="rows">
        {data?.keys.map((key) => (
          <ApiKey key={key.id} apiKey={key} />
        ))}
        {data?.webhooks.map(({ id, url, subscriptions, isPaused }) => (
          <li key={`webhook ${id}`}>
            <span className="row-main">
              <span className="row-name wrap">{url}</span>
              <span className="soft small">
                Webhook · {subscriptions} {subscriptions === 1 ? 'subscription' : 'subscriptions'}
              </span>
            </span>
            {isPaused && <Badge tone="warn">Paused</Badge>}
          </li>
        ))}
      </ul>
      <Form className="panel-text stack" onSubmit={make}>
        <label className="field">
          <span>Name of a new key</span>
          <div className="with-button">
            <input
              className="input"
              autoComplete="off"
              maxLength={100}
              value={name}
              onChange={(event) => setName(event.target.value)}
            />
            <Button type="submit" disabled={isBusy || name.trim() === ''}>
              Create key
            </Button>
          </div>
        </label>
        <ProblemLine problem={problem} />
      </Form>
    </section>
  )
}

function ApiKey({ apiKey: { id, prefix, name, createdAt, lastUsedAt } }: { readonly apiKey: ApiKeyRow }): ReactNode {
  const auth = useAuth()
  const reload = useRefresh()
  const showToast = useToast()
  const { isBusy, problem, run } = useAction()
  const revoke = (): void =>
    void run(async () => {
      await revokeApiKey(auth, id)
      await reload()
      showToast('The key was revoked. It stops within 30 seconds.')
    })
  return (
    <li>
      <span className="row-main">
        <span className="row-name wrap">{name}</span>
        <span className="soft small wrap">
          <code>{prefix}…</code> · created <Ago at={createdAt} />
          {lastUsedAt === null ? (
            ' · never used'
          ) : (
            <>
              {' '}
              · last used <Ago at={lastUsedAt} />
            </>
          )}
        </span>
      </span>
      <span className="row-actions">
        <Button isSmall look="danger" disabled={isBusy} aria-label={`Revoke ${name}`} onClick={revoke}>
          Revoke
        </Button>
      </span>
      <ProblemLine problem={problem} />
    </li>
  )
}
