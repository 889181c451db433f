import type { ReactNode } from 'react'
import { Ago } from '../../../kit/age.tsx'
import { Badge } from '../../../kit/badge.tsx'
import type { TransactionDetail } from '../../gen/answers.ts'
import { formatDollars, humanize } from '../../text.ts'
import { tellChanges } from '../../told-changes.ts'
import { tellError, tellEvm, tellItems, tellTokens, tellTrades } from '../../told-moves.ts'
import type { Sentence, Statement } from '../../told-moves.ts'
import { isOfPeople } from '../../told-summary.ts'
import { Amount } from '../amount.tsx'
import { AccountLink, BlockLink, ContractLink } from '../identity.tsx'
import { Told } from '../told.tsx'
import { nameOfTransaction } from '../transaction-row.tsx'

interface PartProps {
  readonly transaction: TransactionDetail
}

/** A transaction in plain words: who moved what to whom, what came of it, what it called and what it cost. */
export function TransactionStory({ transaction }: PartProps): ReactNode {
  const { block_height: height, timestamp, tags } = transaction
  const statements = [
    ...tellTrades(transaction.defi_events).map(withoutDetails),
    ...tellTokens(transaction.ft_transfers),
    ...tellItems(transaction.nft_transfers),
    ...tellEvm(transaction.evm_executions).map(withoutDetails),
    ...tellChanges(transaction.events),
  ]
  const isFailed = transaction.execution_status === 'FAILURE'
  return (
    <section className="panel story" aria-label="What happened">
      <h2>{nameOfTransaction(transaction)}</h2>
      {isFailed && (
        <div className="banner bad">
          <p>
            It failed, and nothing of what it wanted happened:{' '}
            <b className="wrap">{tellError(transaction.error_message)}</b>
          </p>
        </div>
      )}
      {statements.length > 0 && <Told statements={statements} />}
      {statements.length === 0 && !isFailed && <p className="soft">No tokens and no NFTs were moved.</p>}
      <p>
        <Cost transaction={transaction} /> <Calls contracts={transaction.contract_imports} />
        It happened in block <BlockLink height={height} />, <Ago at={timestamp} />.
      </p>
      {tags.length > 0 && (
        <p className="button-row">
          {tags.map((tag) => (
            <Badge key={tag}>{humanize(tag)}</Badge>
          ))}
        </p>
      )}
    </section>
  )
}

function Cost({ transaction }: PartProps): ReactNode {
  const { fee, fee_usd: dollars, payer } = transaction
  if (!isOfPeople(transaction)) return 'The chain does this by itself, and nobody pays for it.'
  if (fee === null) return 'What it cost is not known.'
  if (Number(fee) === 0) return 'It cost nothing.'
  return (
    <>
      <AccountLink address={payer} /> paid a fee of <Amount amount={fee} unit="FLOW" />
      {dollars !== null && <span className="soft"> ({formatDollars(dollars)})</span>}.
    </>
  )
}

function Calls({ contracts }: { readonly contracts: readonly string[] }): ReactNode {
  if (contracts.length === 0) return null
  return (
    <>
      It called{' '}
      {contracts.map((identifier, i) => (
        <span key={identifier}>
          {i > 0 && (i === contracts.length - 1 ? ' and ' : ', ')}
          <ContractLink identifier={identifier} />
        </span>
      ))}
      .{' '}
    </>
  )
}

function withoutDetails(said: Sentence): Statement {
  return { said, details: [] }
}
