import { useInfiniteQuery } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { QueryState } from '../../auth/action.tsx'
import { useAuth } from '../../auth/auth-provider.tsx'
import { Button } from '../../kit/controls.tsx'
import { EmptyState } from '../../kit/state.tsx'
import { Ago } from '../../kit/time.tsx'
import { readSecurityLog } from '../chain/passkeys.ts'
import { passkeyName } from '../chain/passkey-keys.ts'
import { usePasskeys } from '../own-data.ts'
import type { SecurityRow } from '../types.ts'
import { PageTitle } from './layout.tsx'

export function SecurityPage(): ReactNode {
  const auth = useAuth()
  const { data: passkeys } = usePasskeys()
  const { data, error, refetch, hasNextPage, isFetchingNextPage, fetchNextPage } = useInfiniteQuery({
    queryKey: ['own', 'security'],
    queryFn: ({ pageParam }) => readSecurityLog(auth, pageParam),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: ({ cursor }) => cursor ?? undefined,
  })
  const events = data?.pages.flatMap((page) => page.events)
  const nameOf = (id: string | null): string | undefined => {
    const passkey = passkeys?.find((one) => one.id === id)
    return passkey === undefined ? undefined : passkeyName(passkey)
  }
  return (
    <>
      <PageTitle title="Security log" />
      <p className="soft">
        Sign-ins, passkeys, accounts and signatures. Sign-ins and signatures are stored for 90 days. Signatures are
        reported by the wallet in your browser. Is something here not yours? Remove unknown passkeys, then sign out on
        all devices on the Profile page.
      </p>
      <section className="panel" aria-label="Events">
        {events === undefined && <QueryState what="the security log" error={error} refetch={refetch} />}
        {events?.length === 0 && <EmptyState title="No events yet" />}
        <ul className="rows">
          {events?.map((event, at) => (
            <Row key={`${event.at} ${at}`} event={event} passkey={nameOf(event.credentialId)} />
          ))}
        </ul>
        {hasNextPage && (
          <div className="panel-text">
            <Button isSmall disabled={isFetchingNextPage} onClick={() => void fetchNextPage()}>
              {isFetchingNextPage ? 'Loading…' : 'Show more'}
            </Button>
          </div>
        )}
      </section>
    </>
  )
}

function Row({ event, passkey }: { readonly event: SecurityRow; readonly passkey: string | undefined }): ReactNode {
  const { at, done, from, origin, userAgent, address, detail, source } = event
  return (
    <li>
      <span className="row-main">
        <span className={done ? 'row-name' : 'row-name bad-text'}>{titleOf(event)}</span>
        {source === 'signature' && detail !== null && <span className="wrap">{detail}</span>}
        <span className="soft small wrap">
          <Ago at={at} />
          {passkey !== undefined && ` · ${passkey}`}
          {address !== null && (
            <>
              {' '}
              · <code>{address}</code>
            </>
          )}
          {from !== null && ` · from ${from}`}
          {origin !== null && ` · ${origin}`}
        </span>
        {userAgent !== null && <span className="soft small wrap">{userAgent}</span>}
      </span>
    </li>
  )
}

const titles: Readonly<Record<string, string>> = {
  registration_completed: 'Passkey added',
  registration_failed: 'Passkey creation failed',
  authentication_completed: 'Passkey used',
  authentication_failed: 'Passkey rejected',
  passkey_removed: 'Passkey removed',
  passkey_restored: 'Passkey restored',
  passkey_updated: 'Passkey renamed',
  rate_limit_exceeded: 'Too many attempts blocked',
  challenge_expired: 'Attempt expired',
  counter_mismatch: 'Copied passkey rejected',
  recovery_enabled: 'Recovery by e-mail switched on',
  recovery_disabled: 'Recovery by e-mail switched off',
  recovery_started: 'Recovery by e-mail began',
  recovery_cancelled: 'Recovery by e-mail cancelled',
  recovery_used: 'Recovery by e-mail used',
  user_created: 'User created',
  identity_added: 'Sign-in method added',
  signed_in: 'Signed in',
  signed_out: 'Signed out',
  token_reused: 'Stolen session ended',
  code_failed: 'Wrong code',
  user_changed: 'Profile changed',
  user_banned: 'Banned by the operator',
  user_unbanned: 'Ban ended by the operator',
  api_key_made: 'API key created',
  api_key_revoked: 'API key revoked',
  link_made: 'Sign-in link made by the operator',
  email_change_asked: 'E-mail change requested',
  email_changed: 'E-mail address changed',
  account_created: 'Account created',
  account_imported: 'Account imported',
  transaction: 'Transaction signed',
  message: 'Message signed',
  proof: 'Proof of ownership signed',
}
const methods: Readonly<Record<string, string>> = {
  otp: 'by e-mail',
  webauthn: 'with a passkey',
  oauth: 'with a provider',
  github: 'with GitHub',
  google: 'with Google',
  global: 'on all devices',
  others: 'on other devices',
  one: 'on one device',
}

function titleOf({ event, detail, source }: SecurityRow): string {
  const title = (Object.hasOwn(titles, event) ? titles[event] : undefined) ?? event.replaceAll('_', ' ')
  const method = source === 'session' && detail !== null && Object.hasOwn(methods, detail) ? methods[detail] : undefined
  return method === undefined ? title : `${title} ${method}`
}
