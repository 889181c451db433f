import type { ReactNode } from 'react'
import { formatNumber } from '../../kit/formats.ts'
import { EmptyState } from '../../kit/state.tsx'
import { DataTable } from '../../kit/table.tsx'
import type { Column } from '../../kit/table.tsx'
import { TimeChart } from '../../kit/time-chart.tsx'
import type { EvmGas } from '../answers.gen.ts'
import { useApi } from '../api.ts'
import { ItemResult } from '../parts/lists.tsx'
import { KeyNumber, KeyNumbers, PageTitle } from '../parts/page.tsx'
import { Amount, EvmPartyLink, NoValue, Share } from '../parts/values.tsx'
import { formatAmount, formatDollars, formatUnits } from '../text.ts'

const refetchMs = 15_000

export function EvmGasPage(): ReactNode {
  const query = useApi('/flow/evm/gas', {}, { refetchMs })
  return (
    <>
      <PageTitle kind="EVM" title="Gas" />
      <p className="lead">
        Flow EVM has no base fee: a signed transaction pays the gas price that it offers. Calls of Cadence-owned
        accounts have no gas price, and their Flow transaction pays the fee.
      </p>
      <ItemResult query={query} what="the gas prices" rows={8}>
        {(gas) => <GasView gas={gas} />}
      </ItemResult>
    </>
  )
}

interface GasProps {
  readonly gas: EvmGas
}

function GasView({ gas }: GasProps): ReactNode {
  const { gas_price: price, transaction_count: count, signed_transaction_count: signed, flow_price: flow } = gas
  if (count === 0 && gas.days.every((day) => day.transaction_count === 0)) {
    return (
      <section className="panel">
        <EmptyState title="No EVM transactions yet">
          Gas prices and fees will appear here after the first one.
        </EmptyState>
      </section>
    )
  }
  return (
    <>
      <KeyNumbers>
        <KeyNumber name="Gas price" note={`Median of ${formatNumber(signed)} signed transactions`}>
          <GasPrice price={price.median} />
        </KeyNumber>
        <KeyNumber name="Low" note="10th percentile">
          <GasPrice price={price.low} />
        </KeyNumber>
        <KeyNumber name="High" note="90th percentile">
          <GasPrice price={price.high} />
        </KeyNumber>
        <KeyNumber name="Price of FLOW">{flow === null ? <NoValue /> : formatDollars(flow)}</KeyNumber>
      </KeyNumbers>
      <div className="chart-grid">
        <section className="panel chart-panel" aria-label="Gas by block">
          <TimeChart
            label="Gas by block"
            shape="bars"
            points={gas.blocks.toReversed().map(({ number, gas_used: used }) => ({
              date: formatNumber(number),
              value: Number(used),
              text: formatNumber(Number(used)),
            }))}
          />
        </section>
        <section className="panel chart-panel" aria-label="Gas by day">
          <TimeChart
            label="Gas by day"
            shape="bars"
            isLastPartial
            points={gas.days.map(({ date, gas_used: used }) => ({
              date,
              value: Number(used),
              text: formatNumber(Number(used)),
            }))}
          />
        </section>
      </div>
      <Panel title="Fees at the median gas price" label="Fees">
        <DataTable label="Fees" columns={actionColumns} items={gas.actions} itemKey={({ action }) => action} />
      </Panel>
      <Panel title={`Contracts by gas (latest ${formatNumber(count)} transactions)`} label="Contracts by gas">
        <DataTable
          label="Contracts by gas"
          columns={contractColumns}
          items={gas.contracts}
          itemKey={({ address }) => address.hash}
        />
      </Panel>
    </>
  )
}

function Panel({ title, label, children }: { title: string; label: string; children: ReactNode }): ReactNode {
  return (
    <section className="panel list" aria-label={label}>
      <header>
        <h2>{title}</h2>
      </header>
      {children}
    </section>
  )
}

/** 0.001 gwei. */
const minGwei = 1_000_000n

function GasPrice({ price }: { readonly price: string | null }): ReactNode {
  if (price === null) return <NoValue />
  return BigInt(price) < minGwei ? `${formatAmount(price)} wei` : `${formatUnits(price, 9)} gwei`
}

const actionNames: Readonly<Record<EvmGas['actions'][number]['action'], string>> = {
  flow_transfer: 'FLOW transfer',
  token_transfer: 'Token transfer',
  nft_transfer: 'NFT transfer',
  contract_creation: 'New contract',
}

const actionColumns: readonly Column<EvmGas['actions'][number]>[] = [
  { name: 'Action', cell: ({ action }) => actionNames[action] },
  { name: 'Gas', cell: ({ gas }) => (gas === null ? <NoValue /> : formatNumber(Number(gas))), isNumber: true },
  { name: 'Fee', cell: ({ fee_flow: fee }) => <Amount amount={fee} unit="FLOW" />, isNumber: true },
  { name: 'Value', cell: ({ fee_usd: fee }) => (fee === null ? <NoValue /> : formatDollars(fee)), isNumber: true },
]

const contractColumns: readonly Column<EvmGas['contracts'][number]>[] = [
  { name: 'Contract', cell: ({ address }) => <EvmPartyLink party={address} /> },
  {
    name: 'Transactions',
    cell: ({ transaction_count: count }) => formatNumber(count),
    isNumber: true,
    inCards: 'hidden',
  },
  { name: 'Gas used', cell: ({ gas_used: gas }) => formatNumber(Number(gas)), isNumber: true },
  { name: 'Share', cell: ({ share }) => <Share part={share} />, isNumber: true },
]
