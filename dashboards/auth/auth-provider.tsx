import { createContext, useContext, useEffect, useMemo, useState, useSyncExternalStore } from 'react'
import type { ReactNode } from 'react'
import { SessionKeeper } from './session.ts'
import { fullOptions } from './auth-service.ts'
import type { SessionState } from './session.ts'
import type { AuthOptions, FullAuthOptions } from './auth-service.ts'
import { rolesOf } from './roles.ts'
import type { Roles } from './roles.ts'

export interface Auth {
  readonly state: SessionState
  readonly options: FullAuthOptions
  readonly keeper: SessionKeeper
  readonly roles: Roles
}

const noRoles: Roles = { roles: [], teams: [] }
const AuthContext = createContext<Auth | undefined>(undefined)

/** Changes of the options after the first render are ignored. */
export function AuthProvider({ children, ...given }: AuthOptions & { readonly children: ReactNode }): ReactNode {
  const [options] = useState(() => fullOptions(given))
  const [keeper] = useState(() => new SessionKeeper(options))
  const state = useSyncExternalStore(keeper.subscribe, () => keeper.state)
  useEffect(() => keeper.start(), [keeper])
  const auth = useMemo<Auth>(() => {
    const roles = state.status === 'signed-in' && options.enableRoles ? rolesOf(state.session.user) : noRoles
    return { state, options, keeper, roles }
  }, [state, options, keeper])
  return <AuthContext value={auth}>{children}</AuthContext>
}

export function useAuth(): Auth {
  const auth = useContext(AuthContext)
  if (auth === undefined) throw new Error('useAuth requires an AuthProvider.')
  return auth
}
