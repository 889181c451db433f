import type { ReactNode } from 'react'
import { CodeView } from '../../kit/code.tsx'
import { Badge } from '../../kit/controls.tsx'
import { formatNumber } from '../../kit/formats.ts'
import { Link, useSearchValue } from '../../kit/router.tsx'
import { EmptyState, Loading } from '../../kit/state.tsx'
import type { Column } from '../../kit/table.tsx'
import { Age } from '../../kit/time.tsx'
import type { ContractDependencies } from '../answers.gen.ts'
import { useList, useApi, itemsOf } from '../api.ts'
import type { ItemOf } from '../api.ts'
import type { PageProps } from '../pages.ts'
import { accountFilter, useFilterValues, useSorting } from '../parts/filters.tsx'
import type { Filter } from '../parts/filters.tsx'
import { ItemResult, ListFilter, LoadError, LoadMore, TableList, totalOf } from '../parts/lists.tsx'
import { PageTitle, UrlTabs, Detail, DetailPanel } from '../parts/page.tsx'
import { ContractList, transactionFilters, TransactionList } from '../parts/rows.tsx'
import { OpenInEditor } from '../parts/script.tsx'
import { AccountLink, BlockLink, ContractLink, TransactionLink, Moment } from '../parts/values.tsx'
import { contractNameOf, humanize, paths } from '../text.ts'
import { DependencyGraph } from './contract-graph.tsx'
import { VersionDifferences } from './contract-versions.tsx'
import { ContractScripts } from './contract-scripts.tsx'

const filters: readonly Filter[] = [
  { kind: 'choice', name: 'kind', label: 'Kind', options: { FT: 'Token', NFT: 'NFTs', CONTRACT: 'Other' } },
  accountFilter('address', 'Account'),
]

const orders = [
  { sort: 'usage', label: 'Most used' },
  { sort: 'updated_at', label: 'Recently updated' },
  { sort: 'created_at', label: 'Recently deployed' },
  { sort: 'name', label: 'Name', isAscending: true },
  { sort: 'address', label: 'Account', isAscending: true },
] as const

export function ContractsPage(): ReactNode {
  const [name] = useSearchValue('search')
  const sorting = useSorting(orders)
  const { data: status } = useApi('/status')
  return (
    <>
      <PageTitle title="Contracts" aside={<ListFilter label="Contract name" />} />
      <ContractList
        list={useList('/flow/contract', { limit: 25, name, sort: sorting.order, ...useFilterValues(filters) })}
        filters={filters}
        sorting={sorting}
        total={name === '' ? totalOf(status?.total_contracts) : undefined}
        emptyText={
          name === ''
            ? 'Contracts will appear here when they are deployed.'
            : 'No contracts match this name. Try a shorter one.'
        }
      />
    </>
  )
}

export function ContractPage({ values: { identifier = '' } }: PageProps): ReactNode {
  const query = useApi('/flow/contract/{identifier}', { identifier })
  const found = query.data?.data[0]
  return (
    <>
      <PageTitle
        kind="Contract"
        title={found?.name ?? contractNameOf(identifier)}
        aside={found?.status === 'removed' && <Badge tone="warn">Removed</Badge>}
      />
      <ItemResult query={query} what="this contract" rows={6}>
        {(contract) => (
          <>
            <DetailPanel label="Contract">
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
                <Detail name="Imports">
                  <ContractLinks identifiers={contract.imports ?? []} />
                </Detail>
              )}
            </DetailPanel>
            <OwnTables identifier={contract.identifier} />
            <UrlTabs
              label="Contract"
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
                {
                  name: 'scripts',
                  label: 'Scripts',
                  render: () => <ContractScripts identifier={contract.identifier} />,
                },
              ]}
            />
          </>
        )}
      </ItemResult>
    </>
  )
}

/** Nothing without tables of this contract. */
function OwnTables({ identifier }: IdentifierProps): ReactNode {
  const workers = useApi('/own').data?.data.filter(({ contract }) => contract === identifier) ?? []
  if (workers.length === 0) return null
  return (
    <DetailPanel label="Tables of this contract">
      <Detail name="Tables of this contract">
        <ul className="chips">
          {workers.flatMap(({ name, tables }) =>
            tables.map((table) => (
              <li key={`${name} ${table.name}`}>
                <Link to={paths.ownTable(name, table.name)} title={table.comment}>
                  {name}.{table.name}
                </Link>
              </li>
            )),
          )}
        </ul>
      </Detail>
    </DetailPanel>
  )
}

function ContractLinks({ identifiers }: { readonly identifiers: readonly string[] }): ReactNode {
  return (
    <ul className="chips">
      {identifiers.map((identifier) => (
        <li key={identifier}>
          <ContractLink identifier={identifier} />
        </li>
      ))}
    </ul>
  )
}

function Code({ body }: { readonly body: string | null | undefined }): ReactNode {
  return (
    <section className="panel" aria-label="Code">
      {typeof body === 'string' && (
        <header>
          <h2>Code</h2>
          <OpenInEditor code={body} />
        </header>
      )}
      {body === null || body === undefined ? (
        <EmptyState title="Code not available">
          The code is not indexed yet. It is loaded from an access node as soon as one is reachable.
        </EmptyState>
      ) : (
        <CodeView code={body} label="contract code" />
      )}
    </section>
  )
}

interface IdentifierProps {
  readonly identifier: string
}

const eventColumns: readonly Column<ItemOf<'/flow/contract/{identifier}/events'>>[] = [
  {
    name: 'Event',
    cell: ({ type, event_name: name, count }) => (count === 0 ? name : <Link to={paths.events(type)}>{name}</Link>),
  },
  { name: 'Count', cell: ({ count }) => formatNumber(count), isNumber: true },
  {
    name: 'Last emitted',
    cell: ({ last_seen: last }) => (last === null ? <span className="soft">never</span> : <Age since={last} />),
    isNumber: true,
  },
]

function Events({ identifier }: IdentifierProps): ReactNode {
  return (
    <TableList
      list={useList('/flow/contract/{identifier}/events', { identifier })}
      what="events"
      columns={eventColumns}
      itemKey={({ type }) => type}
      emptyText="This contract declares no events and has emitted none."
    />
  )
}

function Transactions({ identifier }: IdentifierProps): ReactNode {
  const filterValues = useFilterValues(transactionFilters)
  const list = useList('/flow/contract/{identifier}/transaction', { ...filterValues, identifier, limit: 20 })
  return (
    <TransactionList
      list={list}
      filters={transactionFilters}
      emptyText="Transactions that use this contract will appear here."
    />
  )
}

type Version = ItemOf<'/flow/contract/{identifier}/version'>

const changeTones = { added: 'good', updated: 'busy' } as const

function versionColumns(selected: number | undefined, select: (version: string) => void): readonly Column<Version>[] {
  return [
    {
      name: 'Version',
      cell: ({ version, change }) => (
        <>
          {version} <Badge tone={changeTones[change]}>{humanize(change)}</Badge>
        </>
      ),
    },
    {
      name: 'Transaction',
      cell: ({ transaction_id: id, block_height: height }) => <TransactionLink id={id} height={height} />,
    },
    { name: 'Block', cell: ({ block_height: height }) => <BlockLink height={height} /> },
    { name: 'Time', cell: ({ created_at: time }) => <Moment at={time} /> },
    {
      name: 'Code',
      cell: ({ version }) => (
        <button
          type="button"
          className="button small"
          aria-pressed={version === selected}
          onClick={() => select(String(version))}
        >
          Show changes<span className="visually-hidden"> in version {version}</span>
        </button>
      ),
      isNumber: true,
    },
  ]
}

function Versions({ identifier }: IdentifierProps): ReactNode {
  const list = useList('/flow/contract/{identifier}/version', { identifier, limit: 50 })
  const [chosen, choose] = useSearchValue('version')
  const versions = itemsOf(list).map(({ version }) => version)
  const selected = versions.find((version) => String(version) === chosen) ?? versions[0]
  return (
    <>
      <TableList
        list={list}
        what="versions"
        columns={versionColumns(selected, choose)}
        itemKey={({ version }) => version}
        emptyText="The deployment of this contract is not indexed."
      />
      {selected !== undefined && <VersionDifferences identifier={identifier} version={selected} versions={versions} />}
    </>
  )
}

function Dependencies({ identifier }: IdentifierProps): ReactNode {
  const list = useList('/flow/contract/{identifier}/dependencies', { identifier, depth: 2 })
  // Pages differ only in their dependents.
  const pages = itemsOf(list)
  const [found] = pages
  return (
    <section className="panel" aria-label="Dependencies">
      {list.isPending && <Loading label="Loading dependencies…" rows={6} />}
      {list.isError && <LoadError error={list.error} what="the dependencies" onRetry={() => void list.refetch()} />}
      {found !== undefined && found.graph.nodes.length < 2 && (
        <EmptyState title="No dependencies">
          This contract imports no other contract, and no other contract imports it.
        </EmptyState>
      )}
      {found !== undefined && found.graph.nodes.length > 1 && (
        <>
          <DependencyGraph graph={found.graph} />
          <References title={`Imports ${formatNumber(found.imports.length)}`} contracts={found.imports} />
          <References
            title={`Used by ${formatNumber(found.dependent_count)}`}
            contracts={pages.flatMap((page) => page.dependents)}
          >
            {list.hasNextPage && <LoadMore list={list} what="contracts" />}
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
        <p className="soft">None</p>
      ) : (
        <ContractLinks identifiers={contracts.map(({ identifier }) => identifier)} />
      )}
      {children}
    </div>
  )
}
