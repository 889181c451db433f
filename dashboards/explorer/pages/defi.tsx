import type { ReactNode } from 'react'
import { Badge } from '../../kit/controls.tsx'
import { formatNumber } from '../../kit/formats.ts'
import { Link } from '../../kit/router.tsx'
import { EmptyState } from '../../kit/state.tsx'
import type { Column } from '../../kit/table.tsx'
import { Age } from '../../kit/time.tsx'
import type { DefiEvent, DefiPair } from '../answers.gen.ts'
import { useApi, useList } from '../api.ts'
import type { PageProps } from '../pages.ts'
import { dayFilter, useFilterValues } from '../parts/filters.tsx'
import type { Filter } from '../parts/filters.tsx'
import { QueryResult, TableList } from '../parts/lists.tsx'
import { Detail, DetailPanel, KeyNumber, KeyNumbers, PageTitle, UrlTabs } from '../parts/page.tsx'
import {
  AccountLink,
  Amount,
  BlockLink,
  Identity,
  NoValue,
  OptionalAccountLink,
  TransactionLink,
} from '../parts/values.tsx'
import { contractNameOf, formatAmount, paths, symbolOf, truncateAmount } from '../text.ts'

const exchanges = {
  incrementfi: 'IncrementFi',
  bloctoswap: 'BloctoSwap',
  metapier: 'Metapier',
} as const satisfies Record<DefiPair['dex_key'], string>

const kinds = {
  Swap: 'Swap',
  AddLiquidity: 'Liquidity added',
  RemoveLiquidity: 'Liquidity removed',
  Flashloan: 'Flash loan',
  ProtocolFee: 'Protocol fee',
} as const satisfies Record<DefiEvent['event_type'], string>

type Assets = Pick<DefiPair, 'asset0_id' | 'asset1_id' | 'asset0_symbol' | 'asset1_symbol'>

function nameOf(id: string | null, symbol: string | null): string {
  return id === null ? '?' : symbolOf(id, symbol)
}

function pairName({ asset0_id: id0, asset0_symbol: symbol0, asset1_id: id1, asset1_symbol: symbol1 }: Assets): string {
  return `${nameOf(id0, symbol0)} / ${nameOf(id1, symbol1)}`
}

const decimals = 4

const pairColumns: readonly Column<DefiPair>[] = [
  { name: 'Pair', cell: (pair) => <Link to={paths.pair(pair.id)}>{pairName(pair)}</Link> },
  { name: 'Exchange', cell: ({ dex_key: dex }) => <Badge>{exchanges[dex]}</Badge> },
  { name: 'Price', cell: ({ price }) => <Amount amount={price} decimals={decimals} />, isNumber: true },
  { name: 'Swaps in 7 days', cell: ({ swap_count_7d: count }) => formatNumber(count), isNumber: true },
  {
    name: 'Volume in 7 days',
    cell: ({ volume_asset0_7d: volume, asset0_id: id, asset0_symbol: symbol }) => (
      <Amount amount={volume} decimals={2} unit={nameOf(id, symbol)} />
    ),
    isNumber: true,
  },
  {
    name: 'Last active',
    cell: ({ updated_at: updated }) => (updated === null ? <NoValue /> : <Age since={updated} />),
    isNumber: true,
  },
]

const pairFilters: readonly Filter[] = [
  { kind: 'choice', name: 'dex', label: 'Exchange', options: exchanges },
  { kind: 'token', name: 'asset', label: 'Token' },
]

const eventFilters: readonly Filter[] = [
  { kind: 'choice', name: 'event_type', label: 'Type', options: kinds },
  dayFilter,
]

export function PairsPage(): ReactNode {
  return (
    <>
      <PageTitle title="DeFi" />
      <p className="lead">Trading pairs of decentralized exchanges, their swaps and liquidity.</p>
      <UrlTabs
        label="DeFi"
        tabs={[
          { name: 'pairs', label: 'Pairs', render: () => <Pairs /> },
          { name: 'activity', label: 'Activity', render: () => <Activity /> },
        ]}
      />
    </>
  )
}

function Pairs(): ReactNode {
  return (
    <TableList
      list={useList('/defi/pair', { ...useFilterValues(pairFilters), limit: 25 })}
      filters={pairFilters}
      what="pairs"
      columns={pairColumns}
      itemKey={({ id }) => id}
      emptyText="Pairs will appear here after their first swap."
    />
  )
}

const eventColumns: readonly Column<DefiEvent>[] = [
  {
    name: 'Transaction',
    cell: ({ transaction_id: id, block_height: height }) => <TransactionLink id={id} height={height} />,
  },
  { name: 'Type', cell: ({ event_type: type }) => <Badge>{kinds[type]}</Badge> },
  { name: 'Amounts', cell: (event) => amountsOf(event), inCards: 'first' },
  { name: 'Account', cell: ({ maker }) => <OptionalAccountLink address={maker} /> },
  { name: 'Age', cell: ({ timestamp }) => <Age since={timestamp} />, isNumber: true },
]

const pairColumn: Column<DefiEvent> = {
  name: 'Pair',
  cell: (event) => <Link to={paths.pair(event.pair_id)}>{pairName(event)}</Link>,
}

function amountsOf(event: DefiEvent): string {
  const { asset0_in: in0, asset0_out: out0, asset1_in: in1, asset1_out: out1 } = event
  const [name0, name1] = [nameOf(event.asset0_id, event.asset0_symbol), nameOf(event.asset1_id, event.asset1_symbol)]
  const amounts = (first: string | null, second: string | null): string =>
    [
      ...(first === null ? [] : [`${formatAmount(truncateAmount(first, decimals))} ${name0}`]),
      ...(second === null ? [] : [`${formatAmount(truncateAmount(second, decimals))} ${name1}`]),
    ].join(' + ')
  const [into, out] = [amounts(in0, in1), amounts(out0, out1)]
  if (event.event_type === 'Swap') return `${into === '' ? '?' : into} → ${out === '' ? '?' : out}`
  if (into !== '' || out !== '') return into === '' ? out : into
  return event.lp_amount === null ? '–' : `${formatAmount(event.lp_amount)} liquidity tokens`
}

function Activity({ pair }: { readonly pair?: string }): ReactNode {
  const list = useList('/defi/events', { ...useFilterValues(eventFilters), pair_id: pair, limit: 25 })
  const [first, ...rest] = eventColumns
  return (
    <TableList
      list={list}
      filters={eventFilters}
      what="swaps and liquidity changes"
      columns={pair === undefined && first !== undefined ? [first, pairColumn, ...rest] : eventColumns}
      itemKey={({ block_height: height, transaction_index: index, event_index: event }) =>
        `${height} ${index} ${event}`
      }
      emptyText="Swaps and changes of liquidity will appear here."
    />
  )
}

export function PairPage({ values: { id = '' } }: PageProps): ReactNode {
  const query = useApi('/defi/pair', { pair_id: id, limit: 1 })
  const found = query.data?.data[0]
  return (
    <>
      <PageTitle
        kind="Pair"
        title={found === undefined ? contractNameOf(id) : pairName(found)}
        aside={found !== undefined && <Badge>{exchanges[found.dex_key]}</Badge>}
      />
      <QueryResult query={query} what="this pair" rows={6}>
        {({ data: [pair] }) => (pair === undefined ? <UnknownPair /> : <Pair pair={pair} />)}
      </QueryResult>
    </>
  )
}

function UnknownPair(): ReactNode {
  return (
    <section className="panel" aria-label="Pair">
      <EmptyState title="Could not find this pair">
        No event of it is indexed. <Link to="/pairs">All pairs</Link>
      </EmptyState>
    </section>
  )
}

function Pair({ pair }: { readonly pair: DefiPair }): ReactNode {
  const [name0, name1] = [nameOf(pair.asset0_id, pair.asset0_symbol), nameOf(pair.asset1_id, pair.asset1_symbol)]
  return (
    <>
      <KeyNumbers>
        <KeyNumber name="Price" note={`${name1} for 1 ${name0}, last swap`}>
          <Amount amount={pair.price} decimals={decimals} />
        </KeyNumber>
        <KeyNumber name="Swaps in 7 days">{formatNumber(pair.swap_count_7d)}</KeyNumber>
        <KeyNumber name="Volume in 7 days" note={<Amount amount={pair.volume_asset1_7d} decimals={2} unit={name1} />}>
          <Amount amount={pair.volume_asset0_7d} decimals={2} unit={name0} />
        </KeyNumber>
        <KeyNumber name="Reserves" note={<Amount amount={pair.reserves_asset1} decimals={2} unit={name1} />}>
          <Amount amount={pair.reserves_asset0} decimals={2} unit={name0} />
        </KeyNumber>
      </KeyNumbers>
      <DetailPanel label="Pair">
        <Detail name="Tokens">
          <ul className="chips">
            {[[pair.asset0_id, name0] as const, [pair.asset1_id, name1] as const].map(([id, name]) => (
              <li key={id}>{id === null ? name : <Link to={paths.token(id)}>{name}</Link>}</li>
            ))}
          </ul>
        </Detail>
        <Detail name="Account">
          <AccountLink address={pair.address} isWhole hasCopy />
        </Detail>
        <Detail name="ID">
          <Identity id={pair.id} what="pair ID" isWhole hasCopy />
        </Detail>
        {pair.fee_bps !== null && <Detail name="Fee">{pair.fee_bps / 100}%</Detail>}
        {pair.is_stable !== null && <Detail name="Curve">{pair.is_stable ? 'Stable swap' : 'Constant product'}</Detail>}
        {pair.created_height !== null && (
          <Detail name="Created in block">
            <BlockLink height={pair.created_height} />
          </Detail>
        )}
      </DetailPanel>
      <h2>Activity</h2>
      <Activity pair={pair.id} />
    </>
  )
}
