import type { ReactNode } from 'react'
import { Fragment, useState } from 'react'
import { Age } from '../../kit/time.tsx'
import { Badge, Button } from '../../kit/controls.tsx'
import { Cell, Row, RowName } from '../../kit/table.tsx'
import type { Transaction, TransactionSummary, Contract } from '../answers.gen.ts'
import { humanize, sanitizeName, paths } from '../text.ts'
import { isUserTransaction, tellSummary } from '../transfer-summary.ts'
import { AccountLink, BlockLink, TransactionLink, ContractLink } from './values.tsx'
import type { Column } from './lists.tsx'
import { formatNumber } from '../../kit/formats.ts'
import { Link } from '../../kit/router.tsx'
import type { Piece, Sentence, Statement } from '../transfer-summary.ts'

/** What a transaction did, in a few words. */
export function nameOfTransaction({
  template_label: label,
  template_category: category,
  tags,
  is_evm: isEvm,
}: Pick<TransactionSummary, 'template_label' | 'template_category' | 'tags' | 'is_evm'>): string {
  if (label !== '') return sanitizeName(label)
  const [tag] = tags
  if (tag !== undefined) return humanize(tag)
  if (category !== '') return humanize(category)
  return isEvm ? 'EVM transaction' : 'Transaction'
}

export function StatusBadge({ status }: { readonly status: TransactionSummary['execution_status'] }): ReactNode {
  if (status === 'SUCCESS') return <Badge tone="good">Success</Badge>
  if (status === 'FAILURE') return <Badge tone="bad">Failed</Badge>
  return <Badge>Unknown</Badge>
}

export const transactionColumns: readonly Column[] = [
  { name: 'Transaction' },
  { name: 'What happened' },
  { name: 'Paid by' },
  { name: 'Block' },
  { name: 'Age', isNumber: true },
]

export function TransactionRow({ transaction }: { readonly transaction: Transaction }): ReactNode {
  const { id, execution_status: status, payer, block_height: height, timestamp } = transaction
  const moved = tellSummary(transaction)
  return (
    <Row>
      <RowName>
        <TransactionLink id={id} height={height} />
      </RowName>
      <Cell label="What happened" className="first-when-narrow">
        <span>
          <span className="what">
            {nameOfTransaction(transaction)} {status !== 'SUCCESS' && <StatusBadge status={status} />}
          </span>
          {moved !== undefined && (
            <span className="note">
              <ToldSentence sentence={moved} />
            </span>
          )}
          {!isUserTransaction(transaction) && <span className="note">The chain does this by itself.</span>}
        </span>
      </Cell>
      <Cell label="Paid by">
        <AccountLink address={payer} />
      </Cell>
      <Cell label="Block" className="wide-only">
        <BlockLink height={height} />
      </Cell>
      <Cell label="Age" className="number">
        <Age since={timestamp} />
      </Cell>
    </Row>
  )
}

const shownAtFirst = 8
const detailsShownAtFirst = 20

/** Statements with links: the first ones if there are many, and details on request. */
export function Told({ statements }: { readonly statements: readonly Statement[] }): ReactNode {
  const [max, showMore] = useMax(shownAtFirst)
  return (
    <>
      <ul className="told">
        {statements.slice(0, max).map(({ said, details }, i) => (
          <li key={i}>
            <ToldSentence sentence={said} />
            {details.length > 0 && <ToldDetails details={details} />}
          </li>
        ))}
      </ul>
      {statements.length > max && <MoreButton count={statements.length - max} onClick={showMore} />}
    </>
  )
}

function ToldDetails({ details }: { readonly details: readonly Sentence[] }): ReactNode {
  const [max, showMore] = useMax(detailsShownAtFirst)
  return (
    <details>
      <summary>each of them</summary>
      <ul>
        {details.slice(0, max).map((sentence, i) => (
          <li key={i}>
            <ToldSentence sentence={sentence} />
          </li>
        ))}
      </ul>
      {details.length > max && <MoreButton count={details.length - max} onClick={showMore} />}
    </details>
  )
}

/** So that a transaction that moved thousands of things is no load for who only looks at it. */
function useMax(first: number): [max: number, showMore: () => void] {
  const [max, setMax] = useState(first)
  return [max, () => setMax(max + 100)]
}

function MoreButton({ count, onClick }: { readonly count: number; readonly onClick: () => void }): ReactNode {
  return (
    <Button isSmall onClick={onClick}>
      {formatNumber(count)} more
    </Button>
  )
}

export function ToldSentence({ sentence }: { readonly sentence: Sentence }): ReactNode {
  return sentence.map((piece, i) => (
    <Fragment key={i}>
      <ToldPiece piece={piece} />
    </Fragment>
  ))
}

function ToldPiece({ piece }: { readonly piece: Piece }): ReactNode {
  if (typeof piece === 'string') return piece
  if ('account' in piece) return <AccountLink address={piece.account} />
  if ('token' in piece) return <Link to={paths.token(piece.token)}>{piece.text}</Link>
  if ('contract' in piece) return <Link to={paths.contract(piece.contract)}>{piece.text}</Link>
  if (piece.collection === null) return piece.text
  return (
    <Link to={'item' in piece ? paths.item(piece.collection, piece.item) : paths.collection(piece.collection)}>
      {piece.text}
    </Link>
  )
}

export const contractColumns: readonly Column[] = [
  { name: 'Contract' },
  { name: 'Account' },
  { name: 'Kind' },
  { name: 'Used by', isNumber: true },
  { name: 'Updated', isNumber: true },
]

const kinds = { FT: 'Token', NFT: 'NFTs', CONTRACT: 'Contract' } as const

export function ContractRow({ contract }: { readonly contract: Contract }): ReactNode {
  const { identifier, address, kind, status, imported_count: users, updated_at: updated } = contract
  return (
    <Row>
      <RowName>
        <ContractLink identifier={identifier} /> {status === 'removed' && <Badge tone="warn">Removed</Badge>}
      </RowName>
      <Cell label="Account">
        <AccountLink address={address} />
      </Cell>
      <Cell label="Kind">{kind === null ? <span className="soft">–</span> : <Badge>{kinds[kind]}</Badge>}</Cell>
      <Cell label="Used by" className="number">
        {formatNumber(users)}
      </Cell>
      <Cell label="Updated" className="number">
        {updated === null ? '–' : <Age since={updated} />}
      </Cell>
    </Row>
  )
}
