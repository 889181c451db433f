import { createContext, useContext, useEffect, useMemo, useRef, useState, useSyncExternalStore } from 'react'
import type { ReactNode } from 'react'
import { SessionManager } from '../auth/session.ts'
import type { EditorSettings } from './answers.gen.ts'
import type { WalletSettings } from './types.ts'
import { RepositoryClient } from './repository/repository-client.ts'
import { ProjectsClient } from './settings.ts'
import type { TokenSource } from './settings.ts'

export interface Account {
  /** `off`: sign-in is disabled. `unknown`: the session could not be loaded. */
  readonly is: 'off' | 'loading' | 'signed-out' | 'signed-in' | 'unknown'
  readonly userId: string | undefined
  readonly email: string | undefined
  readonly projects: ProjectsClient
  readonly repositories: RepositoryClient
  readonly currentUserId: () => string | undefined
  readonly signOut: () => Promise<void>
  readonly loadAgain: () => void
}

const AccountContext = createContext<Account | undefined>(undefined)

export function useAccount(): Account {
  const account = useContext(AccountContext)
  if (account === undefined) throw new Error('useAccount requires an AccountProvider.')
  return account
}

const noToken: TokenSource = () => Promise.resolve(undefined)
const signedOut: Account = {
  is: 'off',
  userId: undefined,
  email: undefined,
  projects: new ProjectsClient(noToken),
  repositories: new RepositoryClient(noToken),
  currentUserId: () => undefined,
  signOut: () => Promise.resolve(),
  loadAgain: () => undefined,
}

export function AccountProvider({
  settings: { wallet },
  children,
}: {
  readonly settings: EditorSettings
  readonly children: ReactNode
}): ReactNode {
  if (wallet === null) return <AccountContext value={signedOut}>{children}</AccountContext>
  return <SignedIn wallet={wallet}>{children}</SignedIn>
}

const SessionManagerContext = createContext<SessionManager | undefined>(undefined)

export function useSessionManager(): SessionManager {
  const sessionManager = useContext(SessionManagerContext)
  if (sessionManager === undefined) throw new Error('A session requires an AccountProvider with a wallet.')
  return sessionManager
}

function SignedIn({ wallet, children }: { readonly wallet: WalletSettings; readonly children: ReactNode }): ReactNode {
  const [sessionManager] = useState(
    () =>
      new SessionManager({
        gotrueUrl: wallet.gotrue_url,
        sessionUrl: wallet.session_url,
        cookieDomain: undefined,
        enableLogoutDetection: true,
      }),
  )
  const state = useSyncExternalStore(sessionManager.subscribe, () => sessionManager.state)
  useEffect(() => sessionManager.start(), [sessionManager])
  const user = state.status === 'signed-in' ? state.session.user : undefined
  const userId = user?.id
  const current = useRef(userId)
  useEffect(() => {
    current.current = userId
  }, [userId])
  const clients = useMemo(() => {
    const token: TokenSource = async () =>
      sessionManager.state.status === 'signed-out' ? undefined : sessionManager.accessToken()
    return { projects: new ProjectsClient(token), repositories: new RepositoryClient(token) }
  }, [sessionManager])
  const account = useMemo<Account>(
    () => ({
      is: state.status,
      userId,
      email: user?.email ?? undefined,
      ...clients,
      currentUserId: () =>
        sessionManager.state.status === 'signed-in' ? sessionManager.state.session.user.id : undefined,
      signOut: () => sessionManager.signOut(),
      loadAgain: () => void sessionManager.load(),
    }),
    [state.status, userId, user?.email, clients, sessionManager],
  )
  return (
    <SessionManagerContext value={sessionManager}>
      <AccountContext value={account}>{children}</AccountContext>
    </SessionManagerContext>
  )
}
