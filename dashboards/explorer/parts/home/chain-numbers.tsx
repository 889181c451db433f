import type { ReactNode } from 'react'
import { formatNumber } from '../../../kit/formats.ts'
import type { LiveBlock } from '../../live-feed.ts'
import { useAnswer } from '../../queries.ts'
import { formatDollars } from '../../text.ts'
import { KeyNumber, KeyNumbers } from '../detail-list.tsx'
import { blockPace } from './block-pace.ts'

/** The key figures of the chain. */
export function ChainNumbers({ blocks }: { readonly blocks: readonly LiveBlock[] }): ReactNode {
  const { data: status } = useAnswer('/status', {}, { everyMs: 15_000 })
  const { data: prices } = useAnswer('/status/price', { asset: 'FLOW' })
  const { data: epochs } = useAnswer('/status/epoch/status')
  const price = prices?.data[0]
  const epoch = epochs?.data[0]
  // An empty index reports height 0, which is a block of its own.
  const isEmpty = blocks.length === 0 && status?.total_blocks === 0
  const number = (value: number | null | undefined): string =>
    value === undefined || value === null ? '–' : formatNumber(value)
  return (
    <KeyNumbers>
      <KeyNumber name="Block" note={isEmpty ? 'none indexed yet' : (blockPace(blocks) ?? 'latest indexed')}>
        {isEmpty ? '–' : number(blocks[0]?.height ?? status?.indexed_height)}
      </KeyNumber>
      <KeyNumber name="Transactions" note="by users and the system">
        {number(status?.total_transactions)}
      </KeyNumber>
      <KeyNumber name="Accounts" note="used in transactions">
        {number(status?.total_addresses)}
      </KeyNumber>
      <KeyNumber name="Contracts" note="deployed">
        {number(status?.total_contracts)}
      </KeyNumber>
      <KeyNumber name="Events" note="emitted by contracts">
        {number(status?.total_events)}
      </KeyNumber>
      <KeyNumber name="Epoch" note={epoch?.phase_name ?? 'current epoch'}>
        {number(epoch?.epoch)}
      </KeyNumber>
      {price !== undefined && (
        <KeyNumber
          name="FLOW"
          note={
            price.price_change_24h === null
              ? 'price in US dollars'
              : `${price.price_change_24h.toFixed(1)}% in 24 hours`
          }
        >
          {formatDollars(price.price)}
        </KeyNumber>
      )}
    </KeyNumbers>
  )
}
