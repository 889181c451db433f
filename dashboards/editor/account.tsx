import { createContext, useContext, useEffect, useMemo, useRef } from 'react'
import type { ReactNode } from 'react'
import { AuthProvider, useAuth } from '../auth/auth-provider.tsx'
import type { EditorSettings } from './contract.ts'
import { RepositoryClient } from './repository/repository-client.ts'
import { ProjectsClient } from './save/projects-client.ts'
import type { TokenSource } from './save/projects-client.ts'

/** Who uses the page. */
export interface Account {
  /** `off`: nobody can sign in here. `unknown`: that could not be asked. */
  readonly is: 'off' | 'loading' | 'signed-out' | 'signed-in' | 'unknown'
  readonly userId: string | undefined
  readonly email: string | undefined
  readonly projects: ProjectsClient
  readonly repositories: RepositoryClient
  /** The user of this moment, for what runs outside of React. */
  readonly currentUserId: () => string | undefined
  readonly signOut: () => Promise<void>
  readonly loadAgain: () => void
}

const AccountContext = createContext<Account | undefined>(undefined)

export function useAccount(): Account {
  const account = useContext(AccountContext)
  if (account === undefined) throw new Error('There is no AccountProvider above.')
  return account
}

const noToken: TokenSource = () => Promise.resolve(undefined)
const nobody: Account = {
  is: 'off', userId: undefined, email: undefined, projects: new ProjectsClient(noToken), repositories: new RepositoryClient(noToken), currentUserId: () => undefined, signOut: () => Promise.resolve(), loadAgain: () => undefined,
}

/** Signs people in by the wallet, where there is one. */
export function AccountProvider({ settings: { wallet }, children }: { readonly settings: EditorSettings; readonly children: ReactNode }): ReactNode {
  if (wallet === null) return <AccountContext value={nobody}>{children}</AccountContext>
  const at = (url: string): string => new URL(url, wallet.url).href
  return (
    <AuthProvider
      gotrueUrl={at(wallet.gotrue_url)} passkeyAuthUrl={at(wallet.passkey_auth_url)} sessionUrl={at(wallet.session_url)} rpId={wallet.rp_id} rpName={wallet.rp_name}
      cookieDomain={wallet.cookie_domain ?? undefined}
    >
      <SignedIn>{children}</SignedIn>
    </AuthProvider>
  )
}

function SignedIn({ children }: { readonly children: ReactNode }): ReactNode {
  const { state, keeper } = useAuth()
  const user = state.status === 'signed-in' ? state.session.user : undefined
  const userId = user?.id
  const current = useRef(userId)
  useEffect(() => {
    current.current = userId
  }, [userId])
  const clients = useMemo(() => {
    const token: TokenSource = async () => (keeper.state.status === 'signed-out' ? undefined : keeper.accessToken())
    return { projects: new ProjectsClient(token), repositories: new RepositoryClient(token) }
  }, [keeper])
  const account = useMemo<Account>(() => ({
    is: state.status, userId, email: user?.email ?? undefined, ...clients,
    currentUserId: () => (keeper.state.status === 'signed-in' ? keeper.state.session.user.id : undefined),
    signOut: () => keeper.signOut(), loadAgain: () => void keeper.load(),
  }), [state.status, userId, user?.email, clients, keeper])
  return <AccountContext value={account}>{children}</AccountContext>
}
