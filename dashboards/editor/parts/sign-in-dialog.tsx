import { useEffect } from 'react'
import type { ReactNode } from 'react'
import { ProblemLine } from '../../auth/problem-line.tsx'
import { useAction } from '../../auth/use-action.ts'
import { Button } from '../../kit/button.tsx'
import { useAccount } from '../account.tsx'
import { useSettings } from '../settings.ts'
import { beginSignIn } from '../wallet-sign-in.ts'
import { Modal } from './modal.tsx'

interface SignInDialogProps {
  readonly reason: string
  readonly onClose: () => void
  /** Keeps in the browser what is not saved. Default: there is nothing. */
  readonly onLeave?: () => Promise<void>
}

/** Sends people to the wallet, whose pages alone ask for passkeys and codes. What they wrote is here when they are back. */
export function SignInDialog({ reason, onClose, onLeave = () => Promise.resolve() }: SignInDialogProps): ReactNode {
  const { is } = useAccount()
  const { wallet } = useSettings()
  const { isBusy, problem, run } = useAction()
  useEffect(() => {
    // Another tab may have signed in.
    if (is === 'signed-in') onClose()
  }, [is, onClose])
  if (wallet === null) return null
  const leave = (): void =>
    void run(async () => {
      await onLeave()
      await beginSignIn(wallet)
    })
  return (
    <Modal title="Sign in" onClose={onClose}>
      <div className="stack sign-in">
        <p className="soft">{reason}</p>
        <p>
          You sign in at your wallet, <b className="wrap">{new URL(wallet.url).host}</b>, and then return here.
        </p>
        <ProblemLine problem={problem} />
        <Button look="strong" disabled={isBusy} onClick={leave}>
          {isBusy ? 'One moment…' : 'Continue to the wallet'}
        </Button>
      </div>
    </Modal>
  )
}
