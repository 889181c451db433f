import type { ReactNode } from 'react'
import { formatNumber } from '../../../kit/formats.ts'
import type { FungibleToken } from '../../gen/answers.ts'
import { useAnswer } from '../../queries.ts'
import { contractOf, cutAmount, formatAmount, formatDollars } from '../../text.ts'
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
      <Volume token={token} />
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
  return <span className={percent < 0 ? 'fallen' : 'risen'}>{`${percent > 0 ? '+' : ''}${percent.toFixed(2)}% in a day`}</span>
}

/** Of the tokens of which most moved; of others it is known only where none of it moved. */
function Volume({ token }: { readonly token: FungibleToken }): ReactNode {
  const { data } = useAnswer('/insights/token-volume', { hours: 24, limit: 50 })
  const volume = data?.data.find((each) => contractOf(each.token) === contractOf(token.id))
  const amount = volume?.total_amount ?? (token.recent_transfer_count === 0 ? '0' : undefined)
  if (amount === undefined) return null
  const dollars = volume?.usd_volume ?? null
  return (
    <KeyNumber name="Volume in 24 hours" note={dollars === null ? undefined : formatDollars(dollars)}>
      <Amount amount={amount} decimals={decimals} />
    </KeyNumber>
  )
}
