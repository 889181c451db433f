import type { ReactNode } from 'react'
import { useAnswer, useList } from '../../queries.ts'
import { EvmTransactionList } from '../evm-transaction-list.tsx'
import { AccountLink } from '../identity.tsx'

/** The address in the EVM by which an account acts there; undefined where it has none, and until that is known. */
export function useEvmAddress(account: string): string | undefined {
  const { data } = useAnswer('/flow/search/preview', { q: account })
  return data?.data.type === 'address' ? data.data.link?.coa_address : undefined
}

/** What an account does in the EVM. */
export function AccountEvmSide({ address }: { readonly address: string }): ReactNode {
  const list = useList('/flow/evm/address/{address}/transactions', { address, limit: 20 })
  return (
    <>
      <p className="lead">
        In the EVM this account acts as <AccountLink address={address} isWhole hasCopy />
      </p>
      <EvmTransactionList list={list} whenEmpty="This account has done nothing in the EVM so far." />
    </>
  )
}
