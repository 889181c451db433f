import type { ReactNode } from 'react'
import { Badge } from '../../kit/controls.tsx'
import { formatNumber } from '../../kit/formats.ts'
import { Link } from '../../kit/router.tsx'
import type { Column } from '../../kit/table.tsx'
import { TimeChart } from '../../kit/time-chart.tsx'
import { Age } from '../../kit/time.tsx'
import type { FtTransfer, NftTransfer, NftItem, FungibleToken } from '../answers.gen.ts'
import { useList, useApi } from '../api.ts'
import type { ListPath } from '../api.ts'
import {
  humanize,
  paths,
  sanitizeName,
  symbolOf,
  contractNameOf,
  contractOf,
  formatAmount,
  formatDollars,
} from '../text.ts'
import { dayFilter, partyFilter, useFilterValues } from './filters.tsx'
import type { Filter } from './filters.tsx'
import { TableList, QueryResult } from './lists.tsx'
import type { ListProps } from './lists.tsx'
import { Detail } from './page.tsx'
import {
  Amount,
  AccountLink,
  BlockLink,
  ContractLink,
  ExternalLink,
  Identity,
  TransactionLink,
  Picture,
  OptionalAccountLink,
} from './values.tsx'

type Transfer = Pick<
  FtTransfer,
  'transaction_hash' | 'event_index' | 'leg' | 'block_height' | 'transfer_type' | 'sender' | 'receiver' | 'timestamp'
>

const transactionColumn: Column<Transfer> = {
  name: 'Transaction',
  cell: ({ transaction_hash: id, block_height: height }) => <TransactionLink id={id} height={height} />,
}
const partyColumns: readonly Column<Transfer>[] = [
  { name: 'Kind', cell: ({ transfer_type: type }) => <Badge>{humanize(type)}</Badge> },
  { name: 'From', cell: ({ sender }) => <OptionalAccountLink address={sender} /> },
  { name: 'To', cell: ({ receiver }) => <OptionalAccountLink address={receiver} /> },
]
const ageColumn: Column<Transfer> = { name: 'Age', cell: ({ timestamp }) => <Age since={timestamp} />, isNumber: true }

const amountColumn: Column<FtTransfer> = {
  name: 'Amount',
  cell: ({ amount }) => <Amount amount={amount} />,
  isNumber: true,
}

const transferKey = ({ transaction_hash: id, event_index: event, leg }: Transfer): string => `${id} ${event} ${leg}`

export const transferFilters: readonly Filter[] = [
  partyFilter('address', 'Account'),
  {
    kind: 'choice',
    name: 'direction',
    label: 'Direction',
    options: { deposit: 'Received', withdraw: 'Sent' },
    requires: 'address',
  },
  dayFilter,
]

export function TokenTransfers({ token }: { readonly token: FungibleToken }): ReactNode {
  const list = useList('/flow/ft/transfer', { ...useFilterValues(transferFilters), token: token.id, limit: 25 })
  return <TokenTransferList list={list} filters={transferFilters} total={{ count: token.transfer_count }} />
}

interface TokenTransferListProps extends Omit<ListProps<'/flow/ft/transfer'>, 'what'> {
  readonly hasToken?: boolean
}

const tokenColumn: Column<FtTransfer> = {
  name: 'Token',
  cell: ({ token: { token, symbol } }) => <Link to={paths.token(token)}>{symbolOf(token, symbol)}</Link>,
}

export function TokenTransferList({ hasToken = false, ...rest }: TokenTransferListProps): ReactNode {
  const columns = [transactionColumn, ...partyColumns, amountColumn, ...(hasToken ? [tokenColumn] : []), ageColumn]
  return (
    <TableList
      {...rest}
      what="transfers"
      columns={columns}
      itemKey={transferKey}
      emptyText="Transfers will appear here."
    />
  )
}

type NftTransferPath = Extract<ListPath, '/flow/nft/transfer' | '/flow/nft/{nft_type}/item/{id}/transfer'>

const itemColumn: Column<NftTransfer> = {
  name: 'Item',
  cell: ({ nft_type: type, nft_id: id, name }) =>
    type === null ? sanitizeName(name) : <Link to={paths.item(type, id)}>{sanitizeName(name)}</Link>,
}

interface NftTransfersProps<Path extends NftTransferPath> extends Omit<ListProps<Path>, 'what'> {
  readonly hasItem?: boolean
}

export function NftTransfers<Path extends NftTransferPath>({
  hasItem = true,
  ...rest
}: NftTransfersProps<Path>): ReactNode {
  return (
    <TableList
      {...rest}
      what="transfers"
      columns={[transactionColumn, ...(hasItem ? [itemColumn] : []), ...partyColumns, ageColumn]}
      itemKey={transferKey}
      emptyText="Transfers will appear here."
    />
  )
}

export function ItemCard({ item }: { readonly item: NftItem }): ReactNode {
  const { nft_type: type, nft_id: id, name, thumbnail, is_burned: isBurned } = item
  return (
    <li className="card">
      <Link to={paths.item(type, id)}>
        <Picture source={thumbnail} alt="" size="fill" seed={`${type} ${id}`} />
        <span className="card-name">{sanitizeName(name, `#${id}`)}</span>
        <span className="soft">
          #{id}
          {isBurned && ', burned'}
        </span>
      </Link>
    </li>
  )
}

interface AssetDetailsProps {
  readonly asset: Pick<
    FungibleToken,
    'id' | 'address' | 'description' | 'evm_address' | 'first_height' | 'external_url'
  >
  readonly type: string
}

export function AssetDetails({ asset, type }: AssetDetailsProps): ReactNode {
  const { id, address, description, evm_address: evmAddress, first_height: height, external_url: website } = asset
  return (
    <>
      {description !== null && <Detail name="Description">{description}</Detail>}
      <Detail name="Type">
        <Identity id={type} what="type" isWhole hasCopy />
      </Detail>
      <Detail name="Contract">
        <ContractLink identifier={contractOf(id)} /> of <AccountLink address={address} />
      </Detail>
      {evmAddress !== null && (
        <Detail name="EVM contract">
          <AccountLink address={evmAddress} isWhole hasCopy />
        </Detail>
      )}
      {height !== null && (
        <Detail name="First transfer in block">
          <BlockLink height={height} />
        </Detail>
      )}
      {website !== null && (
        <Detail name="Website">
          <ExternalLink to={website} />
        </Detail>
      )}
    </>
  )
}

const days = 30

export function TokenVolume({ token }: { readonly token: FungibleToken }): ReactNode {
  const query = useApi('/flow/ft/{token}/volume', { token: token.id, days })
  const unit = sanitizeName(token.symbol ?? contractNameOf(token.id))
  return (
    <section className="panel chart-panel" aria-label="Volume">
      <QueryResult query={query} what="the volume">
        {({ data }) => (
          <>
            <TimeChart
              label={`${unit} transferred per day`}
              shape="bars"
              isLastPartial
              points={data.map(({ date, volume, usd_volume: dollars }) => ({
                date,
                value: Number(volume),
                text: `${formatAmount(volume)} ${unit}${dollars === null ? '' : `, ${formatDollars(dollars)}`}`,
              }))}
            />
            <TransferChart days={data} />
          </>
        )}
      </QueryResult>
    </section>
  )
}

export function CollectionVolume({ type }: { readonly type: string }): ReactNode {
  const query = useApi('/flow/nft/{nft_type}/volume', { nft_type: type, days })
  return (
    <section className="panel chart-panel" aria-label="Volume">
      <QueryResult query={query} what="the volume">
        {({ data }) => <TransferChart days={data} />}
      </QueryResult>
    </section>
  )
}

interface TransferChartProps {
  readonly days: readonly { readonly date: string; readonly transfer_count: number }[]
}

function TransferChart({ days: counts }: TransferChartProps): ReactNode {
  const points = counts.map(({ date, transfer_count: count }) => ({
    date,
    value: count,
    text: `${formatNumber(count)} transfers`,
  }))
  return <TimeChart label="Transfers per day" shape="bars" isLastPartial points={points} />
}
