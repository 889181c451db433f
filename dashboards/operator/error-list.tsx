import { useEffect, useState } from 'react'
import type { ReactNode } from 'react'
import { keepPreviousData, useQuery, useQueryClient } from '@tanstack/react-query'
import { Age } from '../kit/age.tsx'
import { Badge } from '../kit/badge.tsx'
import { Button } from '../kit/button.tsx'
import { formatNumber } from '../kit/formats.ts'
import { Failure, GoodNews, Loading } from '../kit/state.tsx'
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
  const queryClient = useQueryClient()
  const errors = useQuery({
    queryKey: ['errors', worker, limit], queryFn: ({ signal }) => api.errors({ worker, limit }, signal),
    refetchInterval: refreshMs, placeholderData: keepPreviousData,
  })
  useEffect(() => {
    void queryClient.invalidateQueries({ queryKey: ['errors'] })
  }, [queryClient, overview.unresolvedErrors])
  if (errors.data === undefined) {
    return errors.isError
      ? <Failure title="The list cannot be read" detail={problemText(errors.error)} onRetry={() => void errors.refetch()} />
      : <Loading rows={2} label="Reading the list" />
  }
  const { data: rows, total } = errors.data
  if (rows.length === 0) return <GoodNews title="Everything could be decoded">No input is waiting for a second look.</GoodNews>
  return (
    <>
      <table className="table leases errors" role="table" aria-label="Indexing errors">
        <thead role="rowgroup">
          <tr role="row">
            <th role="columnheader" scope="col">Found by</th>
            <th role="columnheader" scope="col">Position</th>
            <th role="columnheader" scope="col">Error</th>
            <th role="columnheader" scope="col" className="number">Seen</th>
            <th role="columnheader" scope="col" className="number">Last</th>
            <th role="columnheader" scope="col"><span className="visually-hidden">Actions</span></th>
          </tr>
        </thead>
        <tbody role="rowgroup">
          {rows.map((error) => (
            <tr role="row" key={error.id}>
              <th role="rowheader" scope="row" className="lease-worker">{error.worker}</th>
              <td role="cell" className="lease-heights"><span className="nowrap">{formatNumber(error.height)}</span><span className="note">{positionOf(error)}</span></td>
              <td role="cell" className="lease-error">
                <div><Badge tone="warn">{error.code}</Badge><span className="message" title={error.message}>{error.message}</span></div>
                {error.eventType !== null && <code className="note">{error.eventType}</code>}
              </td>
              <td role="cell" className="number" data-label="Seen">{formatNumber(error.occurrences)}×</td>
              <td role="cell" className="number" data-label="Last"><Age since={error.lastSeenAt} /></td>
              <td role="cell" className="lease-actions"><Button isSmall aria-label={`Derive height ${formatNumber(error.height)} again`} onClick={() => setAsked(error)}>Derive again…</Button></td>
            </tr>
          ))}
        </tbody>
      </table>
      <ShowMore shown={rows.length} total={total} limit={limit} onMore={showMore} />
      {asked !== undefined && (
        <RederiveDialog overview={overview} range={{ from: asked.height, to: asked.height + 1 }} worker={asked.worker} onClose={() => setAsked(undefined)} />
      )}
    </>
  )
}

function positionOf({ txIndex, eventIndex }: IndexingError): string {
  const parts = [txIndex < 0 ? '' : `transaction ${txIndex}`, eventIndex < 0 ? '' : `event ${eventIndex}`]
  return parts.filter(Boolean).join(', ')
}
