import type { ReactNode } from 'react'
import { applicationUrls } from '../../kit/application-urls.ts'
import { Badge } from '../../kit/controls.tsx'
import { formatCount, formatNumber } from '../../kit/formats.ts'
import { Link } from '../../kit/router.tsx'
import { EmptyState } from '../../kit/state.tsx'
import { DataTable } from '../../kit/table.tsx'
import type { Column } from '../../kit/table.tsx'
import { CopyButton } from '../../kit/toast.tsx'
import type { Answers } from '../answers.gen.ts'
import { useApi, useList } from '../api.ts'
import type { ItemOf } from '../api.ts'
import type { PageProps } from '../pages.ts'
import { ItemResult, TableList } from '../parts/lists.tsx'
import { Detail, DetailPanel, PageTitle } from '../parts/page.tsx'
import { BlockLink, ContractLink, NoValue, Share } from '../parts/values.tsx'
import { paths } from '../text.ts'

type Worker = ItemOf<'/own'>
export type OwnWorker = Answers['/own/{workerName}']['data'][number]
type OwnTable = OwnWorker['tables'][number]

const refetchMs = 5000

/** Also used by the page of a table. */
export function useOwnWorker(workerName: string): ReturnType<typeof useApi<'/own/{workerName}'>> {
  return useApi('/own/{workerName}', { workerName }, { refetchMs })
}

const workerColumns: readonly Column<Worker>[] = [
  { name: 'Worker', cell: ({ name }) => <Link to={paths.ownWorker(name)}>{name}</Link> },
  { name: 'Contract', cell: ({ contract }) => <ContractLink identifier={contract} /> },
  {
    name: 'Tables',
    cell: ({ name, tables }) => (
      <ul className="chips">
        {tables.map((table) => (
          <li key={table.name}>
            <Link to={paths.ownTable(name, table.name)} title={table.comment}>
              {table.name}
            </Link>
          </li>
        ))}
      </ul>
    ),
  },
  {
    name: 'Rows',
    cell: ({ tables }) => formatNumber(tables.reduce((sum, table) => sum + (table.row_estimate ?? 0), 0)),
    isNumber: true,
  },
  { name: 'Progress', cell: (worker) => <Progress worker={worker} />, isNumber: true },
]

export function OwnWorkersPage(): ReactNode {
  return (
    <>
      <PageTitle title="Own tables" />
      <p className="lead">
        Typed tables that workers of this server derive from the events of a contract: filtered here, by the API, by SQL
        and live.
      </p>
      <TableList
        list={useList('/own')}
        what="own tables"
        columns={workerColumns}
        itemKey={({ name }) => name}
        emptyText={
          <>
            Create a worker for a contract on the server, for example{' '}
            <code className="wrap">npm run worker -- init A.1654653399040a61.FlowToken</code>. Its tables appear here
            when the server has loaded it.
          </>
        }
      />
    </>
  )
}

function Progress({ worker }: { readonly worker: Omit<Worker, 'tables'> }): ReactNode {
  const { stored_blocks: stored, derived_blocks: derived, is_caught_up: isCaughtUp } = worker
  if (worker.error !== null) return <Badge tone="bad">Error</Badge>
  if (worker.flagged_ranges > 0) return <Badge tone="bad">{formatCount(worker.flagged_ranges, 'failed range')}</Badge>
  if (isCaughtUp) return <Badge tone="good">Up to date</Badge>
  return stored === 0 ? <NoValue /> : <Share part={derived / stored} />
}

export function OwnWorkerPage({ values: { worker: name = '' } }: PageProps): ReactNode {
  const query = useOwnWorker(name)
  return (
    <>
      <PageTitle kind="Worker" title={name} />
      <ItemResult query={query} what="this worker" rows={6}>
        {(worker) => <WorkerDetails worker={worker} />}
      </ItemResult>
    </>
  )
}

const kinds = { events: 'Events', latest: 'Latest per key', sum: 'Totals per key', view: 'View' } as const

function WorkerDetails({ worker }: { readonly worker: OwnWorker }): ReactNode {
  return (
    <>
      {worker.description !== '' && <p className="lead">{worker.description}</p>}
      <WorkerProblems worker={worker} />
      <DetailPanel label="Worker">
        <Detail name="Contract">
          <ContractLink identifier={worker.contract} />
        </Detail>
        <Detail name="Progress">
          <Progress worker={worker} />{' '}
          <span className="soft">
            {formatNumber(worker.derived_blocks)} of {formatNumber(worker.stored_blocks)} blocks
          </span>
        </Detail>
        <Detail name="Blocks">
          {worker.from_height === null || worker.derived_height === null ? (
            <span className="soft">None derived yet</span>
          ) : (
            <>
              <BlockLink height={worker.from_height} /> to <BlockLink height={worker.derived_height} />
            </>
          )}
        </Detail>
        <Detail name="Version">{worker.version}</Detail>
        <Detail name="Schema">
          <code>{worker.schema}</code> <CopyButton text={worker.schema} what="schema" />
        </Detail>
        <Detail name="API">
          <a href={`/own/${worker.name}`}>Declaration</a>, <a href={`/own/${worker.name}/openapi.json`}>OpenAPI</a>
        </Detail>
      </DetailPanel>
      <section className="panel list" aria-label="Tables">
        <header>
          <h2>Tables</h2>
        </header>
        {worker.tables.length === 0 ? (
          <EmptyState title="No tables" />
        ) : (
          <DataTable
            label="Tables"
            columns={tableColumns(worker)}
            items={worker.tables}
            itemKey={(table) => table.name}
          />
        )}
      </section>
    </>
  )
}

export function WorkerProblems({ worker }: { readonly worker: OwnWorker }): ReactNode {
  const { error, flagged_ranges: flagged } = worker
  if (error === null && flagged === 0) return null
  return (
    <section className="panel" aria-label="Problems" role="alert">
      <div className="panel-text">
        {error !== null && (
          <p>
            <b>The current files of this worker could not be loaded.</b> Its last good version stays in use.{' '}
            <span className="wrap">{error}</span>
          </p>
        )}
        {flagged > 0 && (
          <p>
            <b>{formatCount(flagged, 'range')} failed after all retries.</b> Rows of these blocks are missing.{' '}
            <a href="/operator">Open the operator page</a>
          </p>
        )}
      </div>
    </section>
  )
}

function tableColumns({ name: worker }: OwnWorker): readonly Column<OwnTable>[] {
  return [
    { name: 'Table', cell: ({ name }) => <Link to={paths.ownTable(worker, name)}>{name}</Link> },
    { name: 'Kind', cell: ({ kind }) => <Badge>{kinds[kind]}</Badge> },
    { name: 'Description', cell: ({ comment }) => (comment === '' ? <NoValue /> : comment) },
    { name: 'Columns', cell: ({ columns }) => formatNumber(columns.length), isNumber: true },
    {
      name: 'Rows',
      cell: ({ row_estimate: rows }) => (rows === null ? <NoValue /> : formatNumber(rows)),
      isNumber: true,
    },
  ]
}

/** Undefined if Ask does not run. */
export function askUrl(statement: string): string | undefined {
  const { ask } = applicationUrls()
  return ask === undefined ? undefined : `${ask}#${new URLSearchParams({ sql: statement }).toString()}`
}
