import type { ReactNode } from 'react'
import { formatNumber } from '../../kit/formats.ts'
import type { EvmExecution } from '../gen/answers.ts'
import { useAnswer } from '../queries.ts'
import { formatUnits } from '../text.ts'
import { Answer } from './answer.tsx'
import { Detail, DetailList } from './detail-list.tsx'
import { DecodedCall, EvmLogs } from './evm-logs.tsx'
import { AccountLink, EvmTransactionLink } from './identity.tsx'
import { StatusBadge } from './transaction-row.tsx'

/** What ran in the EVM, with what its contracts told. */
export function EvmPart({ executions }: { readonly executions: readonly EvmExecution[] }): ReactNode {
  return (
    <>
      {executions.map((execution) => (
        <Execution key={execution.hash} execution={execution} />
      ))}
    </>
  )
}

function Execution({ execution }: { readonly execution: EvmExecution }): ReactNode {
  const query = useAnswer('/flow/evm/transaction/{hash}', { hash: execution.hash })
  return (
    <section className="panel" aria-label={`EVM transaction ${execution.hash}`}>
      <header>
        <h2>
          EVM transaction <EvmTransactionLink hash={execution.hash} hasCopy />
        </h2>
        <StatusBadge status={execution.status} />
      </header>
      <DetailList>
        <Detail name="From">{execution.from === null ? '–' : <AccountLink address={execution.from} isWhole />}</Detail>
        <Detail name="To">
          {execution.to === null ? (
            <span className="soft">a new contract</span>
          ) : (
            <AccountLink address={execution.to} isWhole />
          )}
        </Detail>
        {execution.value !== null && <Detail name="Value">{formatUnits(execution.value, 18)} FLOW</Detail>}
        <Detail name="Gas">
          {formatNumber(Number(execution.gas_used))}
          {execution.gas_limit !== null && (
            <span className="soft"> of {formatNumber(Number(execution.gas_limit))} at most</span>
          )}
        </Detail>
        {execution.error_message !== null && <Detail name="Error">{execution.error_message}</Detail>}
      </DetailList>
      <Answer query={query} what="the EVM transaction" rows={2}>
        {({ data: [detail] }) =>
          detail !== undefined && (
            <>
              {detail.decoded_input !== null && <DecodedCall call={detail.decoded_input} />}
              <EvmLogs logs={detail.logs} />
            </>
          )
        }
      </Answer>
    </section>
  )
}
