import type { ReactNode } from 'react'
import { Badge } from '../../kit/controls.tsx'
import type { Tone } from '../../kit/controls.tsx'
import { formatNumber, formatShare, formatTime } from '../../kit/formats.ts'
import { DataTable } from '../../kit/table.tsx'
import type { Column } from '../../kit/table.tsx'
import { Age } from '../../kit/time.tsx'
import type { IndexingStatus } from '../answers.gen.ts'
import { useApi } from '../api.ts'
import { QueryResult } from '../parts/lists.tsx'
import { KeyNumber, KeyNumbers, PageTitle } from '../parts/page.tsx'
import { BlockLink, NoValue } from '../parts/values.tsx'
import { humanize } from '../text.ts'

/** Data that pages lack while the part is incomplete. */
const parts: Readonly<Record<string, string>> = {
  main_ingester: 'New blocks',
  history_ingester: 'Past blocks',
  token_worker: 'Token and NFT transfers',
  accounts_worker: 'Accounts and their transactions',
  meta_worker: 'Account keys and contracts',
  ft_holdings_worker: 'Token balances',
  nft_ownership_worker: 'NFT owners',
  evm_worker: 'EVM transactions and tokens',
  tx_contracts_worker: 'Transaction types, used contracts and event search',
  tx_metrics_worker: 'Transaction fees and computation',
  scheduled_worker: 'Scheduled transactions',
  staking_worker: 'Staking and epochs',
  defi_worker: 'Trading pairs and swaps',
  daily_stats_worker: 'Statistics of hours and days',
  daily_balance_worker: 'Balance history',
  analytics_deriver_worker: 'Rankings and large transfers',
  evm_metadata_worker: 'Names and decimals of EVM tokens',
  token_metadata_worker: 'Names and pictures of tokens and collections',
  nft_item_metadata_worker: 'Names and pictures of NFTs',
  nft_ownership_reconciler: 'NFT owners checked on the chain',
  contract_code_worker: 'Contract code',
  network_state_worker: 'Network and node state',
}

interface Part {
  readonly name: string
  readonly isOn: boolean
  /** Complete up to this height; undefined if it does not follow blocks or has not started. */
  readonly height: number | undefined
  readonly changedAt: string | undefined
  readonly problems: number
}

/** Blocks that are derived within seconds. */
const usualLag = 10

function partsOf(status: IndexingStatus): readonly Part[] {
  const { checkpoints, checkpoint_timestamps: times, worker_enabled: enabled, error_summary: errors } = status
  const order = Object.keys(parts)
  return Object.entries(enabled)
    .map(([name, isOn]) => ({
      name,
      isOn,
      height: checkpoints[name],
      changedAt: times[name],
      problems: (errors.dead_leases_by_worker[name] ?? 0) + (errors.errors_by_worker[name] ?? 0),
    }))
    .toSorted((a, b) => rank(order, a.name) - rank(order, b.name))
}

function rank(order: readonly string[], name: string): number {
  const index = order.indexOf(name)
  return index < 0 ? order.length : index
}

function remaining({ name, height }: Part, { max_height: max, min_height: min, start_height: start }: IndexingStatus) {
  if (height === undefined) return undefined
  return name === 'history_ingester' ? Math.max(0, height - Math.min(min, start)) : Math.max(0, max - height)
}

function stateOf(part: Part, status: IndexingStatus): readonly [Tone, string] {
  const left = remaining(part, status)
  if (!part.isOn) return ['neutral', 'Off']
  if (left === undefined) return ['good', 'Running']
  return left <= usualLag ? ['good', 'Up to date'] : ['busy', `Up to ${formatNumber(left)} blocks left`]
}

function columnsOf(status: IndexingStatus): readonly Column<Part>[] {
  const { min_height: min, max_height: max } = status
  return [
    {
      name: 'Data',
      cell: ({ name }) => (
        <span>
          {parts[name] ?? humanize(name)}
          <span className="note">
            <code>{name}</code>
          </span>
        </span>
      ),
    },
    {
      name: 'State',
      cell: (part) => {
        const [tone, text] = stateOf(part, status)
        return (
          <span>
            <Badge tone={tone}>{text}</Badge>
            {part.problems > 0 && <span className="note">{formatNumber(part.problems)} problems reported</span>}
          </span>
        )
      },
    },
    {
      name: 'Complete up to block',
      cell: ({ name, height }) =>
        height === undefined || name === 'history_ingester' ? <NoValue /> : <BlockLink height={height} />,
      isNumber: true,
    },
    {
      name: 'Progress',
      cell: ({ name, height }) =>
        height === undefined || name === 'history_ingester' ? (
          <NoValue />
        ) : (
          <span className="share">
            {formatShare(height - min, max - min)}
            <span className="share-bar" aria-hidden="true">
              <i style={{ width: formatShare(height - min, max - min) }} />
            </span>
          </span>
        ),
      isNumber: true,
    },
    {
      name: 'Last change',
      cell: ({ changedAt }) => (changedAt === undefined ? <NoValue /> : <Age since={changedAt} />),
      isNumber: true,
      inCards: 'hidden',
    },
  ]
}

const refetchMs = 5000

export function IndexingPage(): ReactNode {
  const query = useApi('/status', {}, { refetchMs })
  return (
    <>
      <PageTitle title="Indexing status" />
      <p className="lead">
        The explorer copies blocks from the network and derives from them what its pages show. Pages can lack data of
        blocks that are not indexed yet.
      </p>
      <QueryResult query={query} what="the indexing status" rows={8}>
        {(status) => <Status status={status} />}
      </QueryResult>
    </>
  )
}

function Status({ status }: { readonly status: IndexingStatus }): ReactNode {
  const { behind, latest_height: latest, min_height: min, max_height: max } = status
  const missing = max - min + 1 - status.total_blocks
  if (status.total_blocks === 0) {
    return (
      <p className="banner">No blocks are indexed yet. The first ones appear as soon as an access node responds.</p>
    )
  }
  return (
    <>
      {behind > usualLag ? (
        <p className="banner">
          The newest indexed block is {formatNumber(behind)} blocks behind the network, which is at block{' '}
          {formatNumber(latest)}.
        </p>
      ) : null}
      <KeyNumbers>
        <KeyNumber name="Newest indexed block" note={behind > usualLag ? undefined : 'follows the network'}>
          <BlockLink height={status.indexed_height} />
        </KeyNumber>
        <KeyNumber
          name="Oldest indexed block"
          note={status.oldest_block_timestamp === null ? undefined : formatTime(status.oldest_block_timestamp)}
        >
          <BlockLink height={min} />
        </KeyNumber>
        <KeyNumber
          name="Blocks"
          note={missing > 0 ? `${formatNumber(missing)} between them are missing` : 'without gaps'}
        >
          {formatNumber(status.total_blocks)}
        </KeyNumber>
        <KeyNumber name="Transactions">{formatNumber(status.total_transactions)}</KeyNumber>
        <KeyNumber name="Events">{formatNumber(status.total_events)}</KeyNumber>
      </KeyNumbers>
      <section className="panel list" aria-label="Indexed data">
        <DataTable
          label="Indexed data"
          columns={columnsOf(status)}
          items={partsOf(status)}
          itemKey={({ name }) => name}
        />
      </section>
    </>
  )
}
