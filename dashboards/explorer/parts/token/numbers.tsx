import type { ReactNode } from 'react'
import { formatNumber } from '../../../kit/formats.ts'
import type { FungibleToken } from '../../gen/answers.ts'
import { cutAmount, formatAmount, formatDollars } from '../../text.ts'
import { Amount } from '../amount.tsx'
import { KeyNumber, KeyNumbers } from '../detail-list.tsx'

const decimals = 2

export function TokenNumbers({ token }: { readonly token: FungibleToken }): ReactNode {
  const { current_price: price, price_change_24h: change } = token
  return (
    <KeyNumbers>
      {price !== null && (
        <KeyNumber name="Price" note={change === null ? undefined : <Change percent={change} />}>
          {formatDollars(price)}
        </KeyNumber>
      )}
      <KeyNumber name="Holders">{formatNumber(token.holder_count)}</KeyNumber>
      <KeyNumber name="Transfers" note={`${formatNumber(token.recent_transfer_count)} in the last 24 hours`}>
        {formatNumber(token.transfer_count)}
      </KeyNumber>
      <KeyNumber
        name="Volume in 24 hours"
        note={
          price === null
            ? undefined
            : `${formatDollars(String(Number(token.recent_volume) * Number(price)))} at the present price`
        }
      >
        <Amount amount={token.recent_volume} decimals={decimals} />
      </KeyNumber>
      <KeyNumber
        name="Supply"
        note={`${formatAmount(cutAmount(token.minted, decimals))} minted, ${formatAmount(cutAmount(token.burned, decimals))} burned`}
      >
        <Amount amount={token.total_supply} decimals={decimals} />
      </KeyNumber>
    </KeyNumbers>
  )
}

function Change({ percent }: { readonly percent: number }): ReactNode {
  return (
    <span
      className={percent < 0 ? 'fallen' : 'risen'}
    >{`${percent > 0 ? '+' : ''}${percent.toFixed(2)}% in a day`}</span>
  )
}
