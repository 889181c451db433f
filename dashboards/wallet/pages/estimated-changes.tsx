import type { ReactNode } from 'react'
import type { KnownTransaction } from '../../../clients/signing/transactions/known-transaction.ts'
import { balanceChanges } from '../chain/balance-changes.ts'

/** From the template, not from a run: access nodes run no transactions for a preview. */
export function EstimatedChanges({
  known,
  isPayer = true,
}: {
  readonly known: KnownTransaction
  readonly isPayer?: boolean
}): ReactNode {
  const changes = balanceChanges(known)
  return (
    <section className="changes" aria-label="Estimated balance changes">
      <h3>Estimated balance changes</h3>
      <ul>
        {changes.map(({ direction, text }) => (
          <li key={text} className={`${direction} wrap`}>
            {direction === 'out' ? '−' : '+'}
            {text}
          </li>
        ))}
        <li className="soft">{isPayer ? '−0.01 FLOW or less as fee' : 'No fee: another account pays it'}</li>
      </ul>
    </section>
  )
}
