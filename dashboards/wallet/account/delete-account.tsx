import { useState } from 'react'
import type { ReactNode } from 'react'
import { useAuth } from '../../auth/auth-provider.tsx'
import { useAction } from '../../auth/use-action.ts'
import { Button } from '../../kit/button.tsx'
import { Dialog } from '../../kit/dialog.tsx'
import { navigate } from '../../kit/router.ts'
import { useOwnAccounts } from '../own.ts'
import { deleteUser } from './account.ts'

const word = 'DELETE'

/** The way out for good: what goes and what stays is said before. */
export function DeleteAccount(): ReactNode {
  const [isOpen, setIsOpen] = useState(false)
  return (
    <section className="panel" aria-label="Deletion">
      <div className="panel-text apart">
        <span>Do you want to leave? Move what is in your accounts first.</span>
        <Button isSmall look="danger" onClick={() => setIsOpen(true)}>
          Delete my user
        </Button>
      </div>
      {isOpen && <DeleteDialog onClose={() => setIsOpen(false)} />}
    </section>
  )
}

function DeleteDialog({ onClose }: { readonly onClose: () => void }): ReactNode {
  const auth = useAuth()
  const { data: accounts } = useOwnAccounts()
  const [typed, setTyped] = useState('')
  const { isBusy, problem, run } = useAction()
  const remove = (): void =>
    void run(async () => {
      await deleteUser(
        auth,
        (accounts ?? []).map(({ address }) => address),
      )
      navigate('/', { isReplacing: true })
    })
  return (
    <Dialog
      title="Delete your user?"
      action="Delete for good"
      isDangerous
      isBusy={isBusy || typed.trim() !== word || accounts === undefined}
      error={problem}
      onSubmit={remove}
      onClose={onClose}
    >
      <p>
        Your e-mail address, your sign-ins, and the projects that you keep in the editor are deleted here. Nobody can
        bring them back.
      </p>
      <p>Your passkeys sign in nobody any more. They stay on your devices until you remove them there.</p>
      <p className="banner bad">
        Accounts on Flow cannot be deleted: they stay on the chain with all that is in them, and this wallet signs
        nothing for them any more.
        {accounts !== undefined && accounts.length > 0 && (
          <>
            {' '}
            You have {accounts.map(({ address }) => address).join(' and ')}: send what is there to another account
            first, or add a key of another wallet.
          </>
        )}
      </p>
      <label className="field">
        <span>Type {word} to confirm</span>
        <input
          className="input"
          autoComplete="off"
          spellCheck={false}
          value={typed}
          onChange={(event) => setTyped(event.target.value)}
        />
      </label>
    </Dialog>
  )
}
