import type { ReactNode } from 'react'
import { useEffect, useRef, useState } from 'react'
import { Brand, Button, Icon } from '../../kit/controls.tsx'
import { ThemeToggle } from '../../kit/theme.tsx'
import { useLocation } from '../../kit/router.tsx'
import { useAuth } from '../../auth/auth-provider.tsx'
import { makeAccounts, makePasskey } from '../chain/passkeys.ts'
import { useReadAgain, useSettings } from '../own.ts'
import { ProblemLine, useAction } from '../../auth/action.tsx'

/** One thing in the middle of the page, for those who are not in the wallet (yet). */
export function Alone({ children }: { readonly children: ReactNode }): ReactNode {
  return (
    <div className="alone">
      <header>
        <Brand />
        <ThemeToggle />
      </header>
      <main id="main" className="panel alone-panel">
        {children}
      </main>
    </div>
  )
}

/** Page heading; receives the focus after navigation, so that reading starts there. */
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

/** The first step of everybody: a passkey, and with it an account on each network. */
export function FirstPasskey(): ReactNode {
  const auth = useAuth()
  const { networks } = useSettings()
  const readAgain = useReadAgain()
  const [step, setStep] = useState<'passkey' | 'accounts'>('passkey')
  const { isBusy, problem, run } = useAction()
  const make = (): void =>
    void run(async () => {
      const { passkey } = await makePasskey(auth)
      const wanted = networks.filter((one) => one.makes_accounts).map(({ network }) => network)
      if (wanted.length > 0) {
        setStep('accounts')
        // What does not come of it is on the page of the accounts, with a button to try again: the passkey is there.
        await makeAccounts(auth, passkey.id, wanted).catch(() => undefined)
      }
      await readAgain()
    })
  return (
    <section className="panel first" aria-label="Make a passkey">
      <span className="first-sign">
        <Icon name="key" size={28} />
      </span>
      <h2>Make your passkey</h2>
      <p className="soft">
        It becomes the key of your accounts on Flow. Nobody else ever has it, not even this service: your device asks
        for a look, a touch or its PIN each time it is used.
      </p>
      <Button look="strong" disabled={isBusy} onClick={make}>
        {!isBusy ? 'Make a passkey' : step === 'passkey' ? 'Follow your browser…' : 'Your accounts are being made…'}
      </Button>
      <ProblemLine problem={problem} />
      <p className="soft small">
        Do you have an account on Flow already? Make a passkey too: afterwards you can bring the account. You can add
        more passkeys later, so that you do not lose your accounts with one device.
      </p>
    </section>
  )
}
