import type { ReactNode } from 'react'
import type { ChainAccount, PasskeyRow } from '../contract.ts'
import { signersOf } from '../passkeys/keys-of-passkeys.ts'
import { passkeyName } from '../passkeys/passkey-name.ts'

export interface AccountSignersProps {
  /** As the chain has it. */
  readonly account: ChainAccount
  readonly passkeys: readonly PasskeyRow[]
}

/** Who can sign for an account, by the keys that the chain shows. */
export function AccountSigners({ account, passkeys }: AccountSignersProps): ReactNode {
  const { passkeys: signers, others } = signersOf(account, passkeys)
  const more =
    others === 0
      ? ''
      : others === 1
        ? ', and one key that is none of your passkeys'
        : `, and ${others} keys that are none of your passkeys`
  if (signers.length === 0) return <p className="small bad-text">None of your passkeys can sign for it{more}</p>
  return (
    <p className="soft small wrap">
      Signed for by {signers.map(passkeyName).join(' or ')}
      {more}
    </p>
  )
}
