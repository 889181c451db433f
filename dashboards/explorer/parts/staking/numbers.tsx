import type { ReactNode } from 'react'
import { formatNumber } from '../../../kit/formats.ts'
import { itemsOf, useAnswer, useList } from '../../queries.ts'
import { Amount } from '../amount.tsx'
import { KeyNumber, KeyNumbers } from '../detail-list.tsx'
import { epochList } from './epoch-list.ts'

/** A yield beyond this tells that epochs last seconds, as on an emulator, and not what anybody would earn. */
const highestYield = 1000
const unknown = '–'

/** Staking as it is now. */
export function StakingNumbers(): ReactNode {
  const { data: status } = useAnswer('/status/epoch/status')
  const { data: numbers } = useAnswer('/staking/tokenomics')
  const epoch = status?.data[0]
  const stake = numbers?.data[0]
  const share = stake?.staked_share ?? null
  return (
    <KeyNumbers>
      <KeyNumber name="Epoch" note={epoch?.phase_name ?? undefined}>
        {epoch === undefined || epoch.epoch === null ? unknown : formatNumber(epoch.epoch)}
      </KeyNumber>
      <KeyNumber name="Staked" note={share === null ? 'FLOW' : `FLOW, ${share.toFixed(1)}% of all`}>
        <Amount amount={stake?.total_staked ?? null} decimals={0} />
      </KeyNumber>
      <NodeCount now={stake?.validator_count ?? null} />
      <KeyNumber name="Delegators">
        {stake === undefined ? unknown : formatNumber(stake.delegator_count ?? 0)}
      </KeyNumber>
      <Yield percent={stake?.staking_apy ?? null} />
      <KeyNumber name="Paid for an epoch" note="FLOW">
        <Amount amount={stake?.epoch_payout ?? null} decimals={2} />
      </KeyNumber>
    </KeyNumbers>
  )
}

/** How many nodes there are; where it is not told of this epoch, that of the newest one of which it is. */
function NodeCount({ now }: { readonly now: number | null }): ReactNode {
  const list = useList(...epochList)
  if (now !== null) return <KeyNumber name="Nodes">{formatNumber(now)}</KeyNumber>
  const told = itemsOf(list).find(({ total_nodes: nodes }) => nodes !== null)
  return (
    <KeyNumber name="Nodes" note={told === undefined ? undefined : `as of epoch ${formatNumber(told.epoch)}`}>
      {told === undefined ? unknown : formatNumber(told.total_nodes ?? 0)}
    </KeyNumber>
  )
}

function Yield({ percent }: { readonly percent: number | null }): ReactNode {
  if (percent === null) return null
  if (percent > highestYield) {
    return (
      <KeyNumber name="Yield of a year" note="epochs are too short to tell">
        {unknown}
      </KeyNumber>
    )
  }
  return <KeyNumber name="Yield of a year">{percent.toLocaleString('en-US', { maximumFractionDigits: 2 })}%</KeyNumber>
}
