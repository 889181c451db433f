import type { ReactNode } from 'react'
import { Badge } from '../../../kit/badge.tsx'
import type { OwnAccount } from '../../chain/send-transaction.ts'
import { networkNames } from '../../settings.ts'

export interface AccountChoiceProps {
  readonly accounts: readonly OwnAccount[]
  readonly chosen: OwnAccount | undefined
  readonly onChoose: (account: OwnAccount) => void
}

/** Which of the accounts an application is told of. */
export function AccountChoice({ accounts, chosen, onChoose }: AccountChoiceProps): ReactNode {
  return (
    <fieldset className="fcl-accounts">
      <legend className="soft small">{accounts.length === 1 ? 'Your account' : 'With which account?'}</legend>
      {accounts.map((account) => (
        <label key={account.address} className="fcl-account">
          <input type="radio" name="account" checked={account === chosen} onChange={() => onChoose(account)} />
          <code className="wrap">{account.address}</code>
          <Badge tone={account.network === 'mainnet' ? 'good' : 'warn'}>{networkNames[account.network]}</Badge>
        </label>
      ))}
    </fieldset>
  )
}
