import type { ReactNode } from 'react'
import { DeleteAccount } from '../account/delete-account.tsx'
import { EmailAddress } from '../account/email-address.tsx'
import { PageTitle } from '../parts/page-title.tsx'
import { SignOutEverywhere } from '../parts/sign-out-everywhere.tsx'
import { hasOwnAuth, useSettings } from '../settings.ts'

/** Who is signed in, towards the service: their address, their sessions, and the way out. An auth server of somebody else keeps people by itself. */
export function AccountPage(): ReactNode {
  const isOwn = hasOwnAuth(useSettings())
  return (
    <>
      <PageTitle title="You" />
      {isOwn && <EmailAddress />}
      <SignOutEverywhere />
      {isOwn && <DeleteAccount />}
    </>
  )
}
