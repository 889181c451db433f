import type { ReactNode } from 'react'
import { useEffect, useRef, useState } from 'react'
import { ApplicationMenu } from '../../kit/applications.tsx'
import { Brand, Button, Icon } from '../../kit/controls.tsx'
import { ErrorState, Loading } from '../../kit/state.tsx'
import { ThemeToggle } from '../../kit/theme.tsx'
import { useLocation } from '../../kit/router.tsx'
import { useAuth } from '../../auth/auth-provider.tsx'
import { createAccounts, makePasskey } from '../chain/passkeys.ts'
import { useRefresh, useSettings } from '../own-data.ts'
import { ProblemLine, useAction } from '../../auth/action.tsx'

interface CenteredCardProps {
  /** Not while something is to be confirmed. */
  readonly hasMenu?: boolean
  readonly children: ReactNode
}

export function CenteredCard({ hasMenu = false, children }: CenteredCardProps): ReactNode {
  return (
    <div className="alone">
      <header>
        <span className="button-row">
          <Brand />
          {hasMenu && <ApplicationMenu current="wallet" />}
        </span>
        <ThemeToggle />
      </header>
      <main id="main" className="panel alone-panel">
        {children}
      </main>
    </div>
  )
}

/** Shown until the session is checked. */
export function SessionCheck(): ReactNode {
  const { state, sessionManager } = useAuth()
  return (
    <CenteredCard>
      {state.status === 'unknown' ? (
        <ErrorState
          title="Could not check your session"
          detail={state.detail}
          onRetry={() => void sessionManager.load()}
        />
      ) : (
        <Loading label="Checking your session…" rows={2} />
      )}
    </CenteredCard>
  )
}

/** Focused after navigation, so that reading starts there. */
export function PageTitle({ title, children }: { readonly title: string; readonly children?: ReactNode }): ReactNode {
  const heading = useRef<HTMLHeadingElement>(null)
  const { navigations } = useLocation()
  useEffect(() => {
    document.title = `${title} – flowfarm wallet`
    if (navigations > 0) heading.current?.focus({ preventScroll: true })
  }, [title, navigations])
  return (
    <header className="page-title">
      <h1 ref={heading} tabIndex={-1}>
        {title}
      </h1>
      {children}
    </header>
  )
}

export function FirstPasskey(): ReactNode {
  const auth = useAuth()
  const { networks } = useSettings()
  const reload = useRefresh()
  const [step, setStep] = useState<'passkey' | 'accounts'>('passkey')
  const { isBusy, problem, run } = useAction()
  const make = (): void =>
    void run(async () => {
      const { passkey } = await makePasskey(auth)
      const wanted = networks.filter((one) => one.makes_accounts).map(({ network }) => network)
      if (wanted.length > 0) {
        setStep('accounts')
        // The accounts page shows failures with a Retry button.
        await createAccounts(auth, passkey.id, wanted).catch(() => undefined)
      }
      await reload()
    })
  return (
    <section className="panel first" aria-label="Create a passkey">
      <span className="first-sign">
        <Icon name="key" size={28} />
      </span>
      <h2>Create your passkey</h2>
      <p className="soft">
        It becomes the key of your Flow accounts. It never leaves your devices, and this service never sees it. Your
        device asks for your face, fingerprint or PIN each time.
      </p>
      <Button look="strong" disabled={isBusy} onClick={make}>
        {!isBusy ? 'Create a passkey' : step === 'passkey' ? 'Waiting for your passkey…' : 'Creating your accounts…'}
      </Button>
      <ProblemLine problem={problem} />
      <p className="soft small">
        Already have a Flow account? Create a passkey, then import the account. Add more passkeys later, so that you
        keep access if you lose a device.
      </p>
    </section>
  )
}
