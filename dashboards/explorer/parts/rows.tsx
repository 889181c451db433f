import type { ReactNode } from 'react'
import { Fragment, useState } from 'react'
import { Badge, Button } from '../../kit/controls.tsx'
import { formatNumber } from '../../kit/formats.ts'
import { Link } from '../../kit/router.tsx'
import type { Column } from '../../kit/table.tsx'
import { Age } from '../../kit/time.tsx'
import type { Transaction, TransactionSummary, Contract } from '../answers.gen.ts'
import type { ItemOf, ListPath } from '../api.ts'
import { humanize, sanitizeName, paths } from '../text.ts'
import { isUserTransaction, summarizeTransaction } from '../transfer-summary.ts'
import type { Segment, Sentence, Statement } from '../transfer-summary.ts'
import { dayFilter } from './filters.tsx'
import type { Filter } from './filters.tsx'
import { TableList } from './lists.tsx'
import type { ListProps } from './lists.tsx'
import { AccountLink, BlockLink, TransactionLink, ContractLink, NoValue } from './values.tsx'

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

const tags: readonly TransactionSummary['tags'][number][] = [
  'FT_TRANSFER',
  'NFT_TRANSFER',
  'SWAP',
  'LIQUIDITY',
  'MARKETPLACE',
  'STAKING',
  'LIQUID_STAKING',
  'EVM',
  'EVM_BRIDGE',
  'TOKEN_MINT',
  'TOKEN_BURN',
  'ACCOUNT_CREATED',
  'KEY_UPDATE',
  'CONTRACT_DEPLOY',
  'SCHEDULED_TX',
]

/** Every list of transactions has them. */
export const transactionFilters: readonly Filter[] = [
  {
    kind: 'choice',
    name: 'status',
    label: 'Status',
    options: { SUCCESS: 'Success', FAILURE: 'Failed', UNKNOWN: 'Unknown' },
  },
  {
    kind: 'choice',
    name: 'tag',
    label: 'Type',
    options: Object.fromEntries(tags.map((tag) => [tag, humanize(tag)])),
  },
  dayFilter,
]

const transactionColumns: readonly Column<Transaction>[] = [
  {
    name: 'Transaction',
    cell: ({ id, block_height: height }) => <TransactionLink id={id} height={height} />,
    inCards: 'bottom',
  },
  { name: 'Action', cell: (transaction) => <Action transaction={transaction} />, inCards: 'top' },
  {
    name: 'Payer',
    cell: ({ payer }) => (
      <>
        <span className="narrow-only">by </span>
        <AccountLink address={payer} />
      </>
    ),
    inCards: 'bottom-end',
  },
  { name: 'Block', cell: ({ block_height: height }) => <BlockLink height={height} />, inCards: 'hidden' },
  { name: 'Age', cell: ({ timestamp }) => <Age since={timestamp} />, isNumber: true, inCards: 'top-end' },
]

function Action({ transaction }: { readonly transaction: Transaction }): ReactNode {
  const { execution_status: status } = transaction
  const summary = summarizeTransaction(transaction)
  return (
    <span>
      <span className="action">
        {nameOfTransaction(transaction)} {status !== 'SUCCESS' && <StatusBadge status={status} />}
      </span>
      {summary !== undefined && (
        <span className="note">
          <SentenceText sentence={summary} />
        </span>
      )}
      {!isUserTransaction(transaction) && <span className="note">System transaction</span>}
    </span>
  )
}

type TransactionPath = {
  [Path in ListPath]: ItemOf<Path> extends Transaction ? Path : never
}[ListPath]

type TransactionListProps<Path extends TransactionPath> = Omit<ListProps<Path>, 'what'>

export function TransactionList<Path extends TransactionPath>(props: TransactionListProps<Path>): ReactNode {
  return (
    <TableList
      what="transactions"
      columns={transactionColumns}
      itemKey={(transaction: Transaction) => `${transaction.block_height} ${transaction.id}`}
      {...props}
    />
  )
}

const initialStatements = 8
const initialDetails = 20

export function Statements({ statements }: { readonly statements: readonly Statement[] }): ReactNode {
  const [limit, showMore] = useLimit(initialStatements)
  return (
    <>
      <ul className="statements">
        {statements.slice(0, limit).map(({ summary, details }, i) => (
          <li key={i}>
            <SentenceText sentence={summary} />
            {details.length > 0 && <StatementDetails details={details} />}
          </li>
        ))}
      </ul>
      {statements.length > limit && <MoreButton count={statements.length - limit} onClick={showMore} />}
    </>
  )
}

function StatementDetails({ details }: { readonly details: readonly Sentence[] }): ReactNode {
  const [limit, showMore] = useLimit(initialDetails)
  return (
    <details>
      <summary>Show each</summary>
      <ul>
        {details.slice(0, limit).map((sentence, i) => (
          <li key={i}>
            <SentenceText sentence={sentence} />
          </li>
        ))}
      </ul>
      {details.length > limit && <MoreButton count={details.length - limit} onClick={showMore} />}
    </details>
  )
}

export function useLimit(initial: number): [limit: number, showMore: () => void] {
  const [limit, setLimit] = useState(initial)
  return [limit, () => setLimit(limit + 100)]
}

export function MoreButton({ count, onClick }: { readonly count: number; readonly onClick: () => void }): ReactNode {
  return (
    <Button isSmall onClick={onClick}>
      Show {formatNumber(count)} more
    </Button>
  )
}

export function SentenceText({ sentence }: { readonly sentence: Sentence }): ReactNode {
  return sentence.map((segment, i) => (
    <Fragment key={i}>
      <SegmentText segment={segment} />
    </Fragment>
  ))
}

function SegmentText({ segment }: { readonly segment: Segment }): ReactNode {
  if (typeof segment === 'string') return segment
  if ('account' in segment) return <AccountLink address={segment.account} />
  if ('token' in segment)
    return (
      <>
        <Link to={paths.token(segment.token)}>{segment.text}</Link>
        {segment.dollars !== undefined && <span className="soft"> ({segment.dollars})</span>}
      </>
    )
  if ('contract' in segment) return <Link to={paths.contract(segment.contract)}>{segment.text}</Link>
  const { collection, text } = segment
  if (collection === null) return text
  return (
    <Link to={'item' in segment ? paths.item(collection, segment.item) : paths.collection(collection)}>{text}</Link>
  )
}

const contractKinds = { FT: 'Token', NFT: 'NFTs', CONTRACT: 'Contract' } as const

const contractColumns: readonly Column<Contract>[] = [
  {
    name: 'Contract',
    cell: ({ identifier, status }) => (
      <>
        <ContractLink identifier={identifier} /> {status === 'removed' && <Badge tone="warn">Removed</Badge>}
      </>
    ),
    order: 'name',
  },
  { name: 'Account', cell: ({ address }) => <AccountLink address={address} />, order: 'address' },
  { name: 'Kind', cell: ({ kind }) => (kind === null ? <NoValue /> : <Badge>{contractKinds[kind]}</Badge>) },
  { name: 'Used by', cell: ({ imported_count: count }) => formatNumber(count), isNumber: true, order: 'usage' },
  {
    name: 'Deployed',
    cell: ({ created_at: created }) => (created === null ? <NoValue /> : <Age since={created} />),
    isNumber: true,
    inCards: 'hidden',
    order: 'created_at',
  },
  {
    name: 'Updated',
    cell: ({ updated_at: updated }) => (updated === null ? <NoValue /> : <Age since={updated} />),
    isNumber: true,
    order: 'updated_at',
  },
]

export function ContractList(props: Omit<ListProps<'/flow/contract'>, 'what'>): ReactNode {
  return <TableList what="contracts" columns={contractColumns} itemKey={(contract) => contract.id} {...props} />
}
