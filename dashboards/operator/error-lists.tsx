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
import type { IndexingError, Overview, FailingHeight } from './answers.gen.ts'
import { RederiveDialog } from './rederive-dialog.tsx'
import { ShowMore, useLimit } from './parts.tsx'
import { useView } from './use-view.ts'
import { useToast } from '../kit/toast.tsx'

const errorRefreshMs = 10_000

export function ErrorList({ overview }: { readonly overview: Overview }): ReactNode {
  const [{ worker }] = useView()
  const [limit, showMore] = useLimit()
  const [rederived, setRederived] = useState<IndexingError>()
  const errors = useQuery({
    // A change of the count reloads the list.
    queryKey: ['errors', worker, limit, overview.unresolvedErrors],
    queryFn: ({ signal }) => api.errors({ worker, limit }, signal),
    refetchInterval: errorRefreshMs,
    placeholderData: keepPreviousData,
  })
  if (errors.data === undefined) {
    return errors.isError ? (
      <ErrorState
        title="Could not load the indexing errors"
        detail={problemText(errors.error)}
        onRetry={() => void errors.refetch()}
      />
    ) : (
      <Loading rows={2} label="Loading indexing errors…" />
    )
  }
  const { data: rows, total } = errors.data
  if (rows.length === 0)
    return <SuccessState title="No indexing errors">Inputs that cannot be decoded appear here.</SuccessState>
  return (
    <>
      <Table className="leases errors" aria-label="Indexing errors">
        <TableHead>
          <ColumnName>Worker</ColumnName>
          <ColumnName>Position</ColumnName>
          <ColumnName>Error</ColumnName>
          <ColumnName className="number">Occurrences</ColumnName>
          <ColumnName className="number">Last seen</ColumnName>
          <ColumnName>
            <span className="visually-hidden">Actions</span>
          </ColumnName>
        </TableHead>
        <TableBody>
          {rows.map((error) => (
            <Row key={error.id}>
              <RowName className="lease-worker">{error.worker}</RowName>
              <Cell className="lease-heights">
                <a className="nowrap" href={`/block/${error.height}`}>
                  {formatNumber(error.height)}
                </a>{' '}
                <span className="note">
                  {error.transactionId === null ? (
                    positionOf(error)
                  ) : (
                    <a href={`/transaction/${error.transactionId}?height=${error.height}`}>{positionOf(error)}</a>
                  )}
                </span>
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
              <Cell className="number" label="Occurrences">
                {formatNumber(error.occurrences)}×
              </Cell>
              <Cell className="number" label="Last seen">
                <Age since={error.lastSeenAt} />
              </Cell>
              <Cell className="lease-actions">
                <Button
                  isSmall
                  aria-label={`Re-derive height ${formatNumber(error.height)}`}
                  onClick={() => setRederived(error)}
                >
                  Re-derive…
                </Button>
              </Cell>
            </Row>
          ))}
        </TableBody>
      </Table>
      <ShowMore shown={rows.length} total={total} limit={limit} onMore={showMore} />
      {rederived !== undefined && (
        <RederiveDialog
          overview={overview}
          range={{ from: rederived.height, to: rederived.height + 1 }}
          worker={rederived.worker}
          onClose={() => setRederived(undefined)}
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
    return <SuccessState title="No unavailable heights">Heights that no access node serves appear here.</SuccessState>
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
  const showToast = useToast()
  const isUnavailable = state === 'unavailable'
  const label = isUnavailable ? 'Retry' : 'Skip'
  const action = useMutation({
    mutationFn: async () => {
      if (isUnavailable) await api.retryHeights({ from: height, to: height + 1 })
      else await api.skipHeight(height)
    },
    onError: (error) => showToast(problemText(error), 'bad'),
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
