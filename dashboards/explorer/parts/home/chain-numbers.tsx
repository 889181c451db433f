import type { ReactNode } from 'react'
import { formatNumber } from '../../../kit/formats.ts'
import type { LiveBlock } from '../../live-feed.ts'
import { useAnswer } from '../../queries.ts'
import { formatDollars } from '../../text.ts'
import { KeyNumber, KeyNumbers } from '../detail-list.tsx'
import { blockPace } from './block-pace.ts'

/** The numbers of the chain, each with what it means. */
export function ChainNumbers({ blocks }: { readonly blocks: readonly LiveBlock[] }): ReactNode {
  const { data: status } = useAnswer('/status', {}, { everyMs: 15_000 })
  const { data: prices } = useAnswer('/status/price', { asset: 'FLOW' })
  const { data: epochs } = useAnswer('/status/epoch/status')
  const price = prices?.data[0]
  const epoch = epochs?.data[0]
  const number = (value: number | null | undefined): string => (value === undefined || value === null ? '–' : formatNumber(value))
  return (
    <KeyNumbers>
      <KeyNumber name="Block" note={blockPace(blocks) ?? 'the newest that is here'}>
        {number(blocks[0]?.height ?? status?.indexed_height)}
      </KeyNumber>
      <KeyNumber name="Transactions" note="of people and the chain">
        {number(status?.total_transactions)}
      </KeyNumber>
      <KeyNumber name="Accounts" note="that took part">
        {number(status?.total_addresses)}
      </KeyNumber>
      <KeyNumber name="Contracts" note="programs that run on it">
        {number(status?.total_contracts)}
      </KeyNumber>
      <KeyNumber name="Events" note="what the contracts reported">
        {number(status?.total_events)}
      </KeyNumber>
      <KeyNumber name="Epoch" note={epoch?.phase_name ?? 'a week of the network'}>
        {number(epoch?.epoch)}
      </KeyNumber>
      {price !== undefined && (
        <KeyNumber name="FLOW" note={price.price_change_24h === null ? 'the price of one' : `${price.price_change_24h.toFixed(1)}% in a day`}>
          {formatDollars(price.price)}
        </KeyNumber>
      )}
    </KeyNumbers>
  )
}
