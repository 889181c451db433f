import type { ReactNode } from 'react'
import { formatNumber } from '../../../kit/formats.ts'
import type { AccountDetail } from '../../gen/answers.ts'
import { sayName } from '../../text.ts'
import { Detail, DetailList } from '../detail-list.tsx'
import { BlockLink, TransactionLink } from '../identity.tsx'
import { Moment } from '../moment.tsx'

/** Where an account comes from, and how well it is known. */
export function AccountAbout({ account }: { readonly account: AccountDetail }): ReactNode {
  const { created_height: height, created_by_transaction: creator } = account
  return (
    <section className="panel" aria-label="About">
      <DetailList>
        <Detail name="Created">
          <Moment at={account.created_at} />
          {height !== null && (
            <>
              {' '}
              in block <BlockLink height={height} />
            </>
          )}
        </Detail>
        {creator !== null && (
          <Detail name="Created by">
            <TransactionLink id={creator} height={height} />
          </Detail>
        )}
        <Detail name="First seen">
          <Moment at={account.first_seen_at} />
        </Detail>
        <Detail name="Last seen">
          <Moment at={account.last_seen_at} />
        </Detail>
        {account.labels.length > 0 && (
          <Detail name="Known as">{account.labels.map(({ label }) => sayName(label)).join(', ')}</Detail>
        )}
        <Detail name="Data from">
          {account.source === 'chain' ? 'the chain itself' : 'what is indexed'}
          {account.as_of_height !== null && `, at block ${formatNumber(account.as_of_height)}`}
        </Detail>
      </DetailList>
    </section>
  )
}
