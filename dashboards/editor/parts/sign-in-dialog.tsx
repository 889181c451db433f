import { useEffect } from 'react'
import type { ReactNode } from 'react'
import { SignInForm } from '../../auth/sign-in-form.tsx'
import { useAccount } from '../account.tsx'
import { rememberPlace } from './callback-page.tsx'
import { Modal } from './modal.tsx'

/** Signing in without leaving the editor. What was written stays where it is. */
export function SignInDialog({ reason, onClose }: { readonly reason: string; readonly onClose: () => void }): ReactNode {
  const { is } = useAccount()
  useEffect(rememberPlace, [])
  useEffect(() => {
    if (is === 'signed-in') onClose()
  }, [is, onClose])
  return (
    <Modal title="Sign in" onClose={onClose}>
      <div className="stack sign-in">
        <SignInForm><p className="soft">{reason}</p></SignInForm>
      </div>
    </Modal>
  )
}
