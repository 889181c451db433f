import { useEffect } from 'react'
import type { ReactNode } from 'react'
import { SignInForm } from '../../auth/sign-in-form.tsx'
import { Alone } from '../parts/alone.tsx'

/** What somebody sees who is not signed in. */
export function SignInPage({ hasEnded }: { readonly hasEnded: boolean }): ReactNode {
  useEffect(() => {
    document.title = 'Sign in – flowfarm wallet'
  }, [])
  return (
    <Alone>
      <SignInForm>
        <div className="sign-in-head">
          <h1>Your wallet for Flow</h1>
          <p className="soft">
            Its keys are passkeys: they stay on your devices, and you use them with a look or a touch.
          </p>
        </div>
        {hasEnded && (
          <p className="banner" role="status">
            You were signed out. Sign in to go on.
          </p>
        )}
      </SignInForm>
    </Alone>
  )
}
