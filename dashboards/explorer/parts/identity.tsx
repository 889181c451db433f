import type { ReactNode } from 'react'
import { CopyButton } from '../../kit/copy-button.tsx'
import { formatNumber } from '../../kit/formats.ts'
import { Link } from '../../kit/link.tsx'
import { paths } from '../paths.ts'
import { contractNameOf, sayName, shorten } from '../text.ts'

export interface IdentityProps {
  readonly id: string
  readonly to?: string
  /** What the id is of: `account`, `transaction`. */
  readonly what: string
  readonly isWhole?: boolean
  readonly hasCopy?: boolean
}

/** A long id: shortened, whole on hover and for who copies it. */
export function Identity({ id, to, what, isWhole = false, hasCopy = false }: IdentityProps): ReactNode {
  const text = isWhole ? id : shorten(id)
  return (
    <span className={isWhole ? 'identity whole' : 'identity'}>
      {to === undefined ? (
        <code title={id}>{text}</code>
      ) : (
        <Link to={to} title={id} aria-label={isWhole ? undefined : `${what} ${text}`}>
          <code>{text}</code>
        </Link>
      )}
      {hasCopy && <CopyButton text={id} what={what} />}
    </span>
  )
}

type Reference = Pick<IdentityProps, 'isWhole' | 'hasCopy'>

/** In place of who pays and proposes what the chain does by itself. */
const zeroAddress = /^0x0{16}$/

export function AccountLink({ address, ...rest }: Reference & { readonly address: string }): ReactNode {
  const full = address.startsWith('0x') ? address : `0x${address}`
  if (zeroAddress.test(full)) return <span className="soft">the chain itself</span>
  return (
    <Identity id={full} to={full.length > 18 ? paths.evmAddress(full) : paths.account(full)} what="Account" {...rest} />
  )
}

interface TransactionReference extends Reference {
  readonly id: string
  /** Height of its block. */
  readonly height: number | null
}

export function TransactionLink({ id, height, ...rest }: TransactionReference): ReactNode {
  return <Identity id={id} to={paths.transaction(id, height)} what="Transaction" {...rest} />
}

export function EvmTransactionLink({ hash, ...rest }: Reference & { readonly hash: string }): ReactNode {
  return <Identity id={hash} to={paths.evmTransaction(hash)} what="EVM transaction" {...rest} />
}

export function BlockLink({ height }: { readonly height: number }): ReactNode {
  return <Link to={paths.block(height)}>{formatNumber(height)}</Link>
}

/** A contract by its name; its identifier on hover. */
export function ContractLink({ identifier }: { readonly identifier: string }): ReactNode {
  return (
    <Link to={paths.contract(identifier)} title={identifier}>
      {contractNameOf(identifier)}
    </Link>
  )
}

/** An address of the EVM, by its name where it has one. */
export function EvmPartyLink({
  party,
  ...rest
}: Reference & {
  readonly party: { readonly hash: string; readonly name: string | null } | null
}): ReactNode {
  if (party === null) return <span className="soft">nobody</span>
  if (party.name === null) return <AccountLink address={party.hash} {...rest} />
  return (
    <Link to={paths.evmAddress(party.hash)} title={party.hash}>
      {sayName(party.name)}
    </Link>
  )
}
