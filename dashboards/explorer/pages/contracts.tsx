import type { ReactNode } from 'react'
import { ContractRow, contractColumns, TransactionRow, transactionColumns } from '../parts/rows.tsx'
import { ListFilter, ListPanel, Answer, Trouble } from '../parts/lists.tsx'
import { PageTitle, AddressTabs, Detail, DetailList } from '../parts/page.tsx'
import { useList, useAnswer, itemsOf } from '../api.ts'
import { useSearchValue } from '../../kit/router.tsx'
import { Age } from '../../kit/time.tsx'
import { Badge, Button } from '../../kit/controls.tsx'
import { formatNumber } from '../../kit/formats.ts'
import { EmptyState, Loading } from '../../kit/state.tsx'
import { Cell, Row, RowName } from '../../kit/table.tsx'
import type { ContractDependencies } from '../answers.gen.ts'
import type { PageProps } from '../pages.ts'
import { CodeView } from '../../kit/code.tsx'
import { DependencyGraph } from './contract-graph.tsx'
import { VersionDifferences } from './contract-versions.tsx'
import { AccountLink, BlockLink, ContractLink, TransactionLink, Moment } from '../parts/values.tsx'
import { contractNameOf, humanize } from '../text.ts'

export function ContractsPage(): ReactNode {
  const [name] = useSearchValue('search')
  const list = useList('/flow/contract', { limit: 25, name })
  return (
    <>
      <PageTitle title="Contracts" aside={<ListFilter label="Name of a contract" />} />
      <ListPanel
        list={list}
        what="contracts"
        columns={contractColumns}
        whenEmpty={name === '' ? 'Contracts show up when they are deployed.' : 'No contract is called so.'}
        renderRow={(contract) => <ContractRow key={contract.id} contract={contract} />}
      />
    </>
  )
}

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
        <EmptyState title="The code is not kept here">
          It is fetched from the chain when an access node answers.
        </EmptyState>
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

const columns = [
  { name: 'Version' },
  { name: 'Transaction' },
  { name: 'Block' },
  { name: 'Time' },
  { name: 'Code', isNumber: true },
]
const tones = { added: 'good', updated: 'busy' } as const

/** All versions of a contract, and what one of them changed. */
function Versions({ identifier }: { readonly identifier: string }): ReactNode {
  const list = useList('/flow/contract/{identifier}/version', { identifier, limit: 50 })
  const [chosen, choose] = useSearchValue('version')
  const versions = itemsOf(list).map(({ version }) => version)
  const version = versions.find((each) => String(each) === chosen) ?? versions[0]
  return (
    <>
      <ListPanel
        list={list}
        what="versions"
        columns={columns}
        whenEmpty="Nothing is known of when this contract was deployed."
        renderRow={(item) => (
          <Row key={item.version}>
            <RowName>
              {item.version} <Badge tone={tones[item.change]}>{humanize(item.change)}</Badge>
            </RowName>
            <Cell label="Transaction">
              <TransactionLink id={item.transaction_id} height={item.block_height} />
            </Cell>
            <Cell label="Block">
              <BlockLink height={item.block_height} />
            </Cell>
            <Cell label="Time">
              <Moment at={item.created_at} />
            </Cell>
            <Cell label="Code" className="number">
              <button
                type="button"
                className="button small"
                aria-pressed={item.version === version}
                onClick={() => choose(String(item.version))}
              >
                What changed<span className="visually-hidden"> in version {item.version}</span>
              </button>
            </Cell>
          </Row>
        )}
      />
      {version !== undefined && <VersionDifferences identifier={identifier} version={version} versions={versions} />}
    </>
  )
}

/** What a contract uses and what uses it, as a picture and as lists. */
function Dependencies({ identifier }: { readonly identifier: string }): ReactNode {
  const list = useList('/flow/contract/{identifier}/dependencies', { identifier, depth: 2 })
  // Each page tells the same, but for what uses the contract: that is what the pages are of.
  const pages = itemsOf(list)
  const [found] = pages
  const dependents = pages.flatMap((page) => page.dependents)
  return (
    <section className="panel" aria-label="Dependencies">
      {list.isPending && <Loading label="Loading the dependencies" rows={6} />}
      {list.isError && <Trouble error={list.error} what="the dependencies" onRetry={() => void list.refetch()} />}
      {found !== undefined && found.graph.nodes.length < 2 && (
        <EmptyState title="It stands alone">It uses no other contract, and no other uses it.</EmptyState>
      )}
      {found !== undefined && found.graph.nodes.length > 1 && (
        <>
          <DependencyGraph graph={found.graph} />
          <References title={`Uses ${formatNumber(found.imports.length)}`} contracts={found.imports} />
          <References title={`Is used by ${formatNumber(found.dependent_count)}`} contracts={dependents}>
            {list.hasNextPage && (
              <Button disabled={list.isFetchingNextPage} onClick={() => void list.fetchNextPage()}>
                {list.isFetchingNextPage ? 'Loading…' : 'More contracts'}
              </Button>
            )}
          </References>
        </>
      )}
    </section>
  )
}

interface ReferencesProps {
  readonly title: string
  readonly contracts: ContractDependencies['imports']
  readonly children?: ReactNode
}

function References({ title, contracts, children }: ReferencesProps): ReactNode {
  return (
    <div className="panel-text">
      <h2>{title}</h2>
      {contracts.length === 0 ? (
        <p className="soft">none</p>
      ) : (
        <ul className="chips">
          {contracts.map(({ identifier }) => (
            <li key={identifier}>
              <ContractLink identifier={identifier} />
            </li>
          ))}
        </ul>
      )}
      {children}
    </div>
  )
}
