import type { ReactNode } from 'react'
import { keepPreviousData, useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { Age } from '../kit/age.tsx'
import { Badge } from '../kit/badge.tsx'
import { Button } from '../kit/button.tsx'
import { formatNumber } from '../kit/formats.ts'
import { Failure, GoodNews, Loading } from '../kit/state.tsx'
import { Cell, ColumnName, Row, RowName, Table, TableBody, TableHead } from '../kit/table.tsx'
import { useToast } from '../kit/toast.tsx'
import { api, problemText } from './api.ts'
import type { FailingHeight, Overview } from './contract.ts'
import { ShowMore, useLimit } from './show-more.tsx'

const refreshMs = 5_000

/** Heights that access nodes do not serve: Skip for those that ingestion waits for, Retry for those given up. */
export function HeightList({ overview }: { readonly overview: Overview }): ReactNode {
  const [limit, showMore] = useLimit()
  const { failingHeights, unavailableHeights } = overview
  const list = useQuery({
    queryKey: ['heights', limit, failingHeights, unavailableHeights],
    queryFn: ({ signal }) => api.heights(limit, signal),
    refetchInterval: refreshMs,
    placeholderData: keepPreviousData,
  })
  if (list.data === undefined) {
    return list.isError ? (
      <Failure
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
    return <GoodNews title="No unavailable heights">The access nodes have served every height so far.</GoodNews>
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
