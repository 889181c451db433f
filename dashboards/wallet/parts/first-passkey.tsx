import { useState } from 'react'
import type { ReactNode } from 'react'
import { Button } from '../../kit/button.tsx'
import { Icon } from '../../kit/icon.tsx'
import { useAuth } from '../../auth/auth-provider.tsx'
import { makeAccounts, makePasskey } from '../passkeys/passkeys.ts'
import { useReadAgain } from '../own.ts'
import { useSettings } from '../settings.ts'
import { ProblemLine } from '../../auth/problem-line.tsx'
import { useAction } from '../../auth/use-action.ts'

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
