import type { ReactNode } from 'react'
import { Age } from '../../kit/time.tsx'
import { Badge } from '../../kit/controls.tsx'
import { Cell, Row, RowName } from '../../kit/table.tsx'
import { useList, useAnswer } from '../api.ts'
import { humanize, paths, sanitizeName, contractNameOf, formatAmount, formatDollars } from '../text.ts'
import { Amount, AccountLink, TransactionLink, Picture } from './values.tsx'
import { ListPanel, Answer } from './lists.tsx'
import type { NftTransfer, NftItem, FungibleToken } from '../answers.gen.ts'
import { Link } from '../../kit/router.tsx'
import type { ListPath, ListQuery } from '../api.ts'
import { formatNumber } from '../../kit/formats.ts'
import { TimeChart } from '../../kit/time-chart.tsx'

const tokenColumns = [
  { name: 'Transaction' },
  { name: 'Kind' },
  { name: 'From' },
  { name: 'To' },
  { name: 'Amount', isNumber: true },
  { name: 'Age', isNumber: true },
]

export function TokenTransfers({ token }: { readonly token: string }): ReactNode {
  const list = useList('/flow/ft/transfer', { token, limit: 25 })
  return (
    <ListPanel
      list={list}
      what="transfers"
      columns={tokenColumns}
      whenEmpty="This token was not moved so far."
      renderRow={(transfer) => (
        <Row key={`${transfer.transaction_hash} ${transfer.event_index} ${transfer.leg}`}>
          <RowName>
            <TransactionLink id={transfer.transaction_hash} height={transfer.block_height} />
          </RowName>
          <Cell label="Kind">
            <Badge>{humanize(transfer.transfer_type)}</Badge>
          </Cell>
          <Cell label="From">
            <Side address={transfer.sender} />
          </Cell>
          <Cell label="To">
            <Side address={transfer.receiver} />
          </Cell>
          <Cell label="Amount" className="number">
            <Amount amount={transfer.amount} />
          </Cell>
          <Cell label="Age" className="number">
            <Age since={transfer.timestamp} />
          </Cell>
        </Row>
      )}
    />
  )
}

/** One side of a move; nobody where it came into being or ended. */
function Side({ address }: { readonly address: string | null }): ReactNode {
  return address === null ? <span className="soft">nobody</span> : <AccountLink address={address} />
}

type TransferList = Extract<ListPath, '/flow/nft/transfer' | '/flow/nft/{nft_type}/item/{id}/transfer'>

const itemColumns = [
  { name: 'Transaction' },
  { name: 'Item' },
  { name: 'Kind' },
  { name: 'From' },
  { name: 'To' },
  { name: 'Age', isNumber: true },
]

interface ItemTransfersProps<Path extends TransferList> {
  readonly list: ListQuery<Path>
  /** Of one item alone, which need not be named in each row. */
  readonly isOfOne?: boolean
}

export function ItemTransfers<Path extends TransferList>({
  list,
  isOfOne = false,
}: ItemTransfersProps<Path>): ReactNode {
  return (
    <ListPanel
      list={list}
      what="transfers"
      columns={isOfOne ? itemColumns.filter(({ name }) => name !== 'Item') : itemColumns}
      whenEmpty="Nothing of this was moved so far."
      renderRow={(transfer: NftTransfer) => (
        <Row key={`${transfer.transaction_hash} ${transfer.event_index} ${transfer.leg}`}>
          <RowName>
            <TransactionLink id={transfer.transaction_hash} height={transfer.block_height} />
          </RowName>
          {!isOfOne && (
            <Cell label="Item">
              {transfer.nft_type === null ? (
                sanitizeName(transfer.name)
              ) : (
                <Link to={paths.item(transfer.nft_type, transfer.nft_id)}>{sanitizeName(transfer.name)}</Link>
              )}
            </Cell>
          )}
          <Cell label="Kind">
            <Badge>{humanize(transfer.transfer_type)}</Badge>
          </Cell>
          <Cell label="From">
            <Side address={transfer.sender} />
          </Cell>
          <Cell label="To">
            <Side address={transfer.receiver} />
          </Cell>
          <Cell label="Age" className="number">
            <Age since={transfer.timestamp} />
          </Cell>
        </Row>
      )}
    />
  )
}

/** An NFT as a picture with its name. */
export function ItemCard({ item }: { readonly item: NftItem }): ReactNode {
  const { nft_type: type, nft_id: id, name, thumbnail, is_burned: isBurned } = item
  return (
    <li className="card">
      <Link to={paths.item(type, id)}>
        <Picture source={thumbnail} alt="" size="fill" of={`${type} ${id}`} />
        <span className="card-name">{sanitizeName(name, `#${id}`)}</span>
        <span className="soft">
          #{id}
          {isBurned && ', burned'}
        </span>
      </Link>
    </li>
  )
}

const days = 30

/** How much of a token moved, day by day. */
export function TokenVolume({ token }: { readonly token: FungibleToken }): ReactNode {
  const query = useAnswer('/flow/ft/{token}/volume', { token: token.id, days })
  const unit = sanitizeName(token.symbol ?? contractNameOf(token.id))
  return (
    <section className="panel chart-panel" aria-label="Volume">
      <Answer query={query} what="the volume">
        {({ data }) => (
          <>
            <TimeChart
              label={`${unit} moved each day`}
              shape="bars"
              points={data.map(({ date, volume, usd_volume: dollars }) => ({
                date,
                value: Number(volume),
                text: `${formatAmount(volume)} ${unit}${dollars === null ? '' : `, ${formatDollars(dollars)}`}`,
              }))}
            />
            <TransferChart days={data} />
          </>
        )}
      </Answer>
    </section>
  )
}

/** How often items of a collection moved, day by day. */
export function CollectionVolume({ type }: { readonly type: string }): ReactNode {
  const query = useAnswer('/flow/nft/{nft_type}/volume', { nft_type: type, days })
  return (
    <section className="panel chart-panel" aria-label="Volume">
      <Answer query={query} what="the volume">
        {({ data }) => <TransferChart days={data} />}
      </Answer>
    </section>
  )
}

interface TransferChartProps {
  readonly days: readonly { readonly date: string; readonly transfer_count: number }[]
}

function TransferChart({ days: told }: TransferChartProps): ReactNode {
  const points = told.map(({ date, transfer_count: count }) => ({
    date,
    value: count,
    text: `${formatNumber(count)} transfers`,
  }))
  return <TimeChart label="Transfers each day" shape="bars" points={points} />
}
