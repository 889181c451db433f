import type { ReactNode } from 'react'
import { Age } from '../../kit/age.tsx'
import { Badge } from '../../kit/badge.tsx'
import { formatNumber } from '../../kit/formats.ts'
import { NothingHere } from '../../kit/state.tsx'
import { Cell, Row, RowName } from '../../kit/table.tsx'
import type { PageProps } from '../pages.ts'
import { AddressTabs } from '../parts/address-tabs.tsx'
import { Answer } from '../parts/answer.tsx'
import { CodeView } from '../parts/code-view.tsx'
import { Dependencies } from '../parts/contract/dependencies.tsx'
import { Versions } from '../parts/contract/versions.tsx'
import { Detail, DetailList } from '../parts/detail-list.tsx'
import { AccountLink, BlockLink, ContractLink, TransactionLink } from '../parts/identity.tsx'
import { ListPanel } from '../parts/list-panel.tsx'
import { Moment } from '../parts/moment.tsx'
import { PageTitle } from '../parts/page-title.tsx'
import { TransactionRow, transactionColumns } from '../parts/transaction-row.tsx'
import { useAnswer, useList } from '../queries.ts'
import { contractNameOf } from '../text.ts'

export function ContractPage({ values: { identifier = '' } }: PageProps): ReactNode {
  const query = useAnswer('/flow/contract/{identifier}', { identifier })
  const found = query.data?.data[0]
  return (
    <>
      <PageTitle
        kind="Contract"
        title={found?.name ?? contractNameOf(identifier)}
        aside={found?.status === 'removed' && <Badge tone="warn">Removed</Badge>}
      />
      <Answer query={query} what="this contract" rows={6}>
        {({ data: [contract] }) =>
          contract !== undefined && (
            <>
              <section className="panel" aria-label="Contract">
                <DetailList>
                  <Detail name="Account">
                    <AccountLink address={contract.address} isWhole hasCopy />
                  </Detail>
                  <Detail name="Deployed">
                    <Moment at={contract.created_at} />
                    {contract.created_height !== null && (
                      <>
                        {' '}
                        in block <BlockLink height={contract.created_height} />
                      </>
                    )}
                  </Detail>
                  {contract.transaction_hash !== null && (
                    <Detail name="Last changed by">
                      <TransactionLink id={contract.transaction_hash} height={contract.valid_from} />
                    </Detail>
                  )}
                  <Detail name="Used by">{formatNumber(contract.imported_count)} contracts</Detail>
                  {(contract.imports ?? []).length > 0 && (
                    <Detail name="Uses">
                      <ul className="chips">
                        {(contract.imports ?? []).map((each) => (
                          <li key={each}>
                            <ContractLink identifier={each} />
                          </li>
                        ))}
                      </ul>
                    </Detail>
                  )}
                </DetailList>
              </section>
              <AddressTabs
                label="Parts of the contract"
                tabs={[
                  { name: 'code', label: 'Code', render: () => <Code body={contract.body} /> },
                  { name: 'versions', label: 'Versions', render: () => <Versions identifier={contract.identifier} /> },
                  {
                    name: 'dependencies',
                    label: 'Dependencies',
                    render: () => <Dependencies identifier={contract.identifier} />,
                  },
                  { name: 'events', label: 'Events', render: () => <Events identifier={contract.identifier} /> },
                  {
                    name: 'transactions',
                    label: 'Transactions',
                    render: () => <Transactions identifier={contract.identifier} />,
                  },
                ]}
              />
            </>
          )
        }
      </Answer>
    </>
  )
}

function Code({ body }: { readonly body: string | null | undefined }): ReactNode {
  return (
    <section className="panel" aria-label="Code">
      {body === null || body === undefined ? (
        <NothingHere title="The code is not kept here">
          It is fetched from the chain when an access node answers.
        </NothingHere>
      ) : (
        <CodeView code={body} label="code of the contract" />
      )}
    </section>
  )
}

const eventColumns = [{ name: 'Event' }, { name: 'Emitted', isNumber: true }, { name: 'Last', isNumber: true }]

function Events({ identifier }: { readonly identifier: string }): ReactNode {
  const list = useList('/flow/contract/{identifier}/events', { identifier })
  return (
    <ListPanel
      list={list}
      what="events"
      columns={eventColumns}
      whenEmpty="This contract declares no events and has emitted none."
      renderRow={({ type, event_name: name, count, last_seen: last }) => (
        <Row key={type}>
          <RowName>{name}</RowName>
          <Cell label="Emitted" className="number">
            {formatNumber(count)}
          </Cell>
          <Cell label="Last" className="number">
            {last === null ? <span className="soft">never</span> : <Age since={last} />}
          </Cell>
        </Row>
      )}
    />
  )
}

function Transactions({ identifier }: { readonly identifier: string }): ReactNode {
  const list = useList('/flow/contract/{identifier}/transaction', { identifier, limit: 20 })
  return (
    <ListPanel
      list={list}
      what="transactions"
      columns={transactionColumns}
      whenEmpty="No transaction has used this contract so far."
      renderRow={(transaction) => <TransactionRow key={transaction.id} transaction={transaction} />}
    />
  )
}
