import { createContext, useContext, useEffect, useMemo, useRef, useState, useSyncExternalStore } from 'react'
import type { ReactNode } from 'react'
import { SessionKeeper } from '../auth/session.ts'
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

const KeeperContext = createContext<SessionKeeper | undefined>(undefined)

export function useKeeper(): SessionKeeper {
  const keeper = useContext(KeeperContext)
  if (keeper === undefined) throw new Error('A session requires an AccountProvider with a wallet.')
  return keeper
}

function SignedIn({ wallet, children }: { readonly wallet: WalletSettings; readonly children: ReactNode }): ReactNode {
  const [keeper] = useState(
    () =>
      new SessionKeeper({
        gotrueUrl: wallet.gotrue_url,
        sessionUrl: wallet.session_url,
        cookieDomain: undefined,
        enableLogoutDetection: true,
      }),
  )
  const state = useSyncExternalStore(keeper.subscribe, () => keeper.state)
  useEffect(() => keeper.start(), [keeper])
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
  const account = useMemo<Account>(
    () => ({
      is: state.status,
      userId,
      email: user?.email ?? undefined,
      ...clients,
      currentUserId: () => (keeper.state.status === 'signed-in' ? keeper.state.session.user.id : undefined),
      signOut: () => keeper.signOut(),
      loadAgain: () => void keeper.load(),
    }),
    [state.status, userId, user?.email, clients, keeper],
  )
  return (
    <KeeperContext value={keeper}>
      <AccountContext value={account}>{children}</AccountContext>
    </KeeperContext>
  )
}
