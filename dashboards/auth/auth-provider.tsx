import { createContext, useContext, useEffect, useMemo, useState, useSyncExternalStore } from 'react'
import type { ReactNode } from 'react'
import { SessionManager } from './session.ts'
import { fullOptions } from './auth-service.ts'
import type { SessionState } from './session.ts'
import type { AuthOptions, FullAuthOptions } from './auth-service.ts'
import { rolesOf } from './roles.ts'
import type { Roles } from './roles.ts'

export interface Auth {
  readonly state: SessionState
  readonly options: FullAuthOptions
  readonly sessionManager: SessionManager
  readonly roles: Roles
}

const noRoles: Roles = { roles: [], teams: [] }
const AuthContext = createContext<Auth | undefined>(undefined)

/** Changes of the options after the first render are ignored. */
export function AuthProvider({ children, ...given }: AuthOptions & { readonly children: ReactNode }): ReactNode {
  const [options] = useState(() => fullOptions(given))
  const [sessionManager] = useState(() => new SessionManager(options))
  const state = useSyncExternalStore(sessionManager.subscribe, () => sessionManager.state)
  useEffect(() => sessionManager.start(), [sessionManager])
  const auth = useMemo<Auth>(() => {
    const roles = state.status === 'signed-in' && options.enableRoles ? rolesOf(state.session.user) : noRoles
    return { state, options, sessionManager, roles }
  }, [state, options, sessionManager])
  return <AuthContext value={auth}>{children}</AuthContext>
}

export function useAuth(): Auth {
  const auth = useContext(AuthContext)
  if (auth === undefined) throw new Error('useAuth requires an AuthProvider.')
  return auth
}
