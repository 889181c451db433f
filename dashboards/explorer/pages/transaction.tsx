import type { ReactNode } from 'react'
import { formatNumber } from '../../kit/formats.ts'
import { Link } from '../../kit/link.tsx'
import { useSearchValue } from '../../kit/router.ts'
import { ApiProblem } from '../api.ts'
import type { TransactionDetail } from '../gen/answers.ts'
import type { PageProps } from '../pages.ts'
import { AddressTabs } from '../parts/address-tabs.tsx'
import { Answer } from '../parts/answer.tsx'
import { Arguments } from '../parts/arguments.tsx'
import { EventCards } from '../parts/event-cards.tsx'
import { EvmPart } from '../parts/evm-part.tsx'
import { BlockLink, Identity } from '../parts/identity.tsx'
import { PageTitle } from '../parts/page-title.tsx'
import { TransactionFields } from '../parts/transaction/fields.tsx'
import { TransactionScript } from '../parts/transaction/script.tsx'
import { TransactionStory } from '../parts/transaction/story.tsx'
import { StatusBadge } from '../parts/transaction-row.tsx'
import { paths } from '../paths.ts'
import { useAnswer } from '../queries.ts'
import { shorten } from '../text.ts'

/** A transaction, told in plain words first. An EVM hash leads to the transaction that it ran in. */
export function TransactionPage({ values: { id = '' } }: PageProps): ReactNode {
  const [height] = useSearchValue('height')
  const ofHeight = useAnswer('/flow/transaction/{id}', { id, height })
  // A reorganization may have moved it since the link was made.
  const isElsewhere = height !== '' && ofHeight.error instanceof ApiProblem && ofHeight.error.status === 404
  const anywhere = useAnswer('/flow/transaction/{id}', { id }, { isOn: isElsewhere })
  const query = isElsewhere ? anywhere : ofHeight
  const transaction = query.data?.data[0]
  const whole = transaction?.id ?? id
  return (
    <>
      <PageTitle
        kind="Transaction"
        title={shorten(whole)}
        aside={transaction !== undefined && <StatusBadge status={transaction.execution_status} />}
      >
        <Identity id={whole} what="transaction id" hasCopy={transaction !== undefined} />
      </PageTitle>
      <Answer query={query} what="this transaction" rows={8}>
        {({ data: [found] }) => found !== undefined && <Parts transaction={found} />}
      </Answer>
    </>
  )
}

function Parts({ transaction }: { readonly transaction: TransactionDetail }): ReactNode {
  const { events, script, script_hash: hash, arguments: values, evm_executions: executions } = transaction
  const given = Array.isArray(values) ? (values as readonly unknown[]) : []
  return (
    <>
      <TransactionStory transaction={transaction} />
      {transaction.other_heights.length > 0 && (
        <p className="soft">
          This system transaction has the same id in other blocks. This is the one in block{' '}
          <BlockLink height={transaction.block_height} />. Others:{' '}
          {transaction.other_heights.map((height, i) => (
            <span key={height}>
              {i > 0 && ', '}
              <Link to={paths.transaction(transaction.id, height)}>{formatNumber(height)}</Link>
            </span>
          ))}
        </p>
      )}
      <AddressTabs
        label="Parts of the transaction"
        tabs={[
          { name: 'summary', label: 'Summary', render: () => <TransactionFields transaction={transaction} /> },
          {
            name: 'events',
            label: `Events ${formatNumber(events.length)}`,
            render: () => <EventCards events={events} />,
          },
          { name: 'script', label: 'Script', render: () => <TransactionScript script={script} hash={hash} /> },
          {
            name: 'arguments',
            label: `Arguments ${given.length}`,
            render: () => <Arguments values={given} script={script} />,
          },
          ...(executions.length === 0
            ? []
            : [{ name: 'evm', label: `EVM ${executions.length}`, render: () => <EvmPart executions={executions} /> }]),
        ]}
      />
    </>
  )
}
