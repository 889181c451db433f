import { useState } from 'react'
import type { ReactNode } from 'react'
import { keepPreviousData, useQuery, useMutation, useQueryClient } from '@tanstack/react-query'
import { Age } from '../kit/time.tsx'
import { Badge, Button } from '../kit/controls.tsx'
import { formatNumber } from '../kit/formats.ts'
import { ErrorState, SuccessState, Loading } from '../kit/state.tsx'
import { Cell, ColumnName, Row, RowName, Table, TableBody, TableHead } from '../kit/table.tsx'
import { api } from './api.ts'
import { problemText } from '../kit/api.ts'
import type { IndexingError, Overview, FailingHeight } from './contract.ts'
import { RederiveDialog } from './rederive-dialog.tsx'
import { ShowMore, useLimit } from './parts.tsx'
import { useView } from './use-view.ts'
import { useToast } from '../kit/toast.tsx'

const errorRefreshMs = 10_000

/** Inputs that could not be decoded: where they stand, what was wrong with them, and a way to try them again. */
export function ErrorList({ overview }: { readonly overview: Overview }): ReactNode {
  const [{ worker }] = useView()
  const [limit, showMore] = useLimit()
  const [asked, setAsked] = useState<IndexingError>()
  const errors = useQuery({
    // The count is part of the name, so that the list is read again when it changes.
    queryKey: ['errors', worker, limit, overview.unresolvedErrors],
    queryFn: ({ signal }) => api.errors({ worker, limit }, signal),
    refetchInterval: errorRefreshMs,
    placeholderData: keepPreviousData,
  })
  if (errors.data === undefined) {
    return errors.isError ? (
      <ErrorState
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
    return <SuccessState title="Everything could be decoded">No input is waiting for a second look.</SuccessState>
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

const heightRefreshMs = 5_000

/** Heights that access nodes do not serve: Skip for those that ingestion waits for, Retry for those given up. */
export function HeightList({ overview }: { readonly overview: Overview }): ReactNode {
  const [limit, showMore] = useLimit()
  const { failingHeights, unavailableHeights } = overview
  const list = useQuery({
    queryKey: ['heights', limit, failingHeights, unavailableHeights],
    queryFn: ({ signal }) => api.heights(limit, signal),
    refetchInterval: heightRefreshMs,
    placeholderData: keepPreviousData,
  })
  if (list.data === undefined) {
    return list.isError ? (
      <ErrorState
        title="Could not load the heights"
        detail={problemText(list.error)}
        onRetry={() => void list.refetch()}
      />
    ) : (
      <Loading rows={2} label="Loading heights…" />
    )
  }
  const { heights, failing, unavailable } = list.data
  if (heights.length === 0)
    return <SuccessState title="No unavailable heights">The access nodes have served every height so far.</SuccessState>
  return (
    <>
      <Table className="leases errors" aria-label="Unavailable heights">
        <TableHead>
          <ColumnName>Height</ColumnName>
          <ColumnName>Reason</ColumnName>
          <ColumnName className="number">Since</ColumnName>
          <ColumnName>
            <span className="visually-hidden">Actions</span>
          </ColumnName>
        </TableHead>
        <TableBody>
          {heights.map((height) => (
            <HeightRow key={`${height.state} ${height.height}`} height={height} />
          ))}
        </TableBody>
      </Table>
      <ShowMore shown={heights.length} total={failing + unavailable} limit={limit} onMore={showMore} />
    </>
  )
}

function HeightRow({ height: { height, state, part, reason, since } }: { readonly height: FailingHeight }): ReactNode {
  const client = useQueryClient()
  const toast = useToast()
  const isUnavailable = state === 'unavailable'
  const label = isUnavailable ? 'Retry' : 'Skip'
  const action = useMutation({
    mutationFn: async () => {
      if (isUnavailable) await api.retryHeights({ from: height, to: height + 1 })
      else await api.skipHeight(height)
    },
    onError: (error) => toast(problemText(error), 'bad'),
    onSettled: () => client.invalidateQueries({ queryKey: ['heights'] }),
  })
  return (
    <Row>
      <RowName className="lease-heights">
        <span className="nowrap">{formatNumber(height)}</span>
      </RowName>
      <Cell className="lease-error">
        <div>
          <Badge tone={isUnavailable ? 'warn' : 'bad'}>{part === null ? state : `${part} unavailable`}</Badge>
          <span className="message" title={reason}>
            {reason}
          </span>
        </div>
      </Cell>
      <Cell className="number" label="Since">
        <Age since={since} />
      </Cell>
      <Cell className="lease-actions">
        <Button
          isSmall
          aria-label={`${label} height ${formatNumber(height)}`}
          disabled={action.isPending || state === 'skipping'}
          onClick={() => action.mutate()}
        >
          {label}
        </Button>
      </Cell>
    </Row>
  )
}
