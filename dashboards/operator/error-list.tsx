import { useState } from 'react'
import type { ReactNode } from 'react'
import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { Age } from '../kit/age.tsx'
import { Badge } from '../kit/badge.tsx'
import { Button } from '../kit/button.tsx'
import { formatNumber } from '../kit/formats.ts'
import { Failure, GoodNews, Loading } from '../kit/state.tsx'
import { Cell, ColumnName, Row, RowName, Table, TableBody, TableHead } from '../kit/table.tsx'
import { api, problemText } from './api.ts'
import type { IndexingError, Overview } from './contract.ts'
import { RederiveDialog } from './rederive-dialog.tsx'
import { ShowMore, useLimit } from './show-more.tsx'
import { useView } from './view.ts'

const refreshMs = 10_000

/** Inputs that could not be decoded: where they stand, what was wrong with them, and a way to try them again. */
export function ErrorList({ overview }: { readonly overview: Overview }): ReactNode {
  const [{ worker }] = useView()
  const [limit, showMore] = useLimit()
  const [asked, setAsked] = useState<IndexingError>()
  const errors = useQuery({
    // The count is part of the name, so that the list is read again when it changes.
    queryKey: ['errors', worker, limit, overview.unresolvedErrors],
    queryFn: ({ signal }) => api.errors({ worker, limit }, signal),
    refetchInterval: refreshMs,
    placeholderData: keepPreviousData,
  })
  if (errors.data === undefined) {
    return errors.isError ? (
      <Failure
        title="The list cannot be read"
        detail={problemText(errors.error)}
        onRetry={() => void errors.refetch()}
      />
    ) : (
      <Loading rows={2} label="Reading the list" />
    )
  }
  const { data: rows, total } = errors.data
  if (rows.length === 0)
    return <GoodNews title="Everything could be decoded">No input is waiting for a second look.</GoodNews>
  return (
    <>
      <Table className="leases errors" aria-label="Indexing errors">
        <TableHead>
          <ColumnName>Found by</ColumnName>
          <ColumnName>Position</ColumnName>
          <ColumnName>Error</ColumnName>
          <ColumnName className="number">Seen</ColumnName>
          <ColumnName className="number">Last</ColumnName>
          <ColumnName>
            <span className="visually-hidden">Actions</span>
          </ColumnName>
        </TableHead>
        <TableBody>
          {rows.map((error) => (
            <Row key={error.id}>
              <RowName className="lease-worker">{error.worker}</RowName>
              <Cell className="lease-heights">
                <span className="nowrap">{formatNumber(error.height)}</span>{' '}
                <span className="note">{positionOf(error)}</span>
              </Cell>
              <Cell className="lease-error">
                <div>
                  <Badge tone="warn">{error.code}</Badge>
                  <span className="message" title={error.message}>
                    {error.message}
                  </span>
                </div>
                {error.eventType !== null && <code className="note">{error.eventType}</code>}
              </Cell>
              <Cell className="number" label="Seen">
                {formatNumber(error.occurrences)}×
              </Cell>
              <Cell className="number" label="Last">
                <Age since={error.lastSeenAt} />
              </Cell>
              <Cell className="lease-actions">
                <Button
                  isSmall
                  aria-label={`Derive height ${formatNumber(error.height)} again`}
                  onClick={() => setAsked(error)}
                >
                  Derive again…
                </Button>
              </Cell>
            </Row>
          ))}
        </TableBody>
      </Table>
      <ShowMore shown={rows.length} total={total} limit={limit} onMore={showMore} />
      {asked !== undefined && (
        <RederiveDialog
          overview={overview}
          range={{ from: asked.height, to: asked.height + 1 }}
          worker={asked.worker}
          onClose={() => setAsked(undefined)}
        />
      )}
    </>
  )
}

function positionOf({ txIndex, eventIndex }: IndexingError): string {
  const parts = [txIndex < 0 ? '' : `transaction ${txIndex}`, eventIndex < 0 ? '' : `event ${eventIndex}`]
  return parts.filter(Boolean).join(', ')
}
