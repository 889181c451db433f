import type { ReactNode } from 'react'
import { networkNames } from '../../kit/network-names.ts'
import type { OwnAccount } from '../chain/chain-client.ts'

/** In the address of a page. */
export const accountName = ({ network, address }: OwnAccount): string => `${network}:${address}`

interface AccountFieldProps {
  readonly label: string
  readonly accounts: readonly OwnAccount[]
  readonly account: OwnAccount
  readonly onChange: (name: string) => void
}

export function AccountField({ label, accounts, account, onChange }: AccountFieldProps): ReactNode {
  return (
    <label className="field">
      <span>{label}</span>
      <select className="input" value={accountName(account)} onChange={(event) => onChange(event.target.value)}>
        {accounts.map((one) => (
          <option key={accountName(one)} value={accountName(one)}>
            {networkNames[one.network]} · {one.address}
          </option>
        ))}
      </select>
    </label>
  )
}
