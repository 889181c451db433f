import { StrictMode, useEffect } from 'react'
import type { ReactNode } from 'react'
import { createRoot } from 'react-dom/client'
import { QueryClient, QueryClientProvider } from '@tanstack/react-query'
import { ToastProvider } from '../kit/toast.tsx'
import { makePasskey } from './chain/passkeys.ts'
import type { AuthOptions } from '../auth/auth-service.ts'
import { AuthProvider, useAuth } from '../auth/auth-provider.tsx'
import { callbackUrl } from '../auth/auth-service.ts'
import { finishCallback } from '../auth/sign-in.ts'
import { SignInForm } from '../auth/sign-in-form.tsx'
import { ProblemLine, useAction } from '../auth/action.tsx'

/** A third-party page with the sign-in components; the test writes the options as JSON. */
function SomePage(): ReactNode {
  const { state, options, sessionManager, roles } = useAuth()
  const auth = useAuth()
  const { problem, run } = useAction()
  const isCallback = location.pathname === new URL(callbackUrl(options, location.origin)).pathname
  useFinish(isCallback)
  if (isCallback) return <h1>Signing in</h1>
  if (state.status === 'signed-out')
    return (
      <SignInForm>
        <h1>Signed out</h1>
      </SignInForm>
    )
  if (state.status !== 'signed-in') return <h1>{state.status}</h1>
  return (
    <>
      <h1>Signed in as {state.session.user.email}</h1>
      <p>Roles: {[...roles.roles, ...roles.teams].join(' ') || 'none'}</p>
      <button type="button" onClick={() => void run(async () => void (await makePasskey(auth)))}>
        Create a passkey
      </button>
      <button type="button" onClick={() => void run(() => sessionManager.signOut())}>
        Sign out
      </button>
      <ProblemLine problem={problem} />
    </>
  )
}

/** Callback URLs are single-use, however often React renders the page. */
const started = new Set<string>()

function useFinish(isCallback: boolean): void {
  const { options, sessionManager } = useAuth()
  useEffect(() => {
    if (!isCallback || started.has(location.href)) return
    started.add(location.href)
    void finishCallback(options, new URL(location.href))
      .then((token) => sessionManager.adopt(token))
      .then(() => location.replace('/'))
  }, [isCallback, options, sessionManager])
}

const root = document.getElementById('root')
const options = JSON.parse(document.getElementById('options')?.textContent ?? '{}') as AuthOptions
if (root === null) throw new Error('The page has no root element.')
createRoot(root).render(
  <StrictMode>
    <QueryClientProvider client={new QueryClient()}>
      <ToastProvider>
        <AuthProvider {...options}>
          <SomePage />
        </AuthProvider>
      </ToastProvider>
    </QueryClientProvider>
  </StrictMode>,
)
