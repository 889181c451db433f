import { useQuery } from '@tanstack/react-query'
import { useEffect, useState } from 'react'
import type { ReactNode } from 'react'
import { ApiProblem, problemText } from '../../kit/api.ts'
import { EmptyState, ErrorState, Loading } from '../../kit/state.tsx'
import type { PublicDashboard } from '../answers.gen.ts'
import { api, queryKeys } from '../api.ts'
import { escapeInvisible } from '../../kit/result-table.ts'
import { refreshText } from './edited-tiles.ts'
import { PauseButton } from './pause-button.tsx'
import { TileBody, TileCard } from './tile-card.tsx'
import { useTileResult } from './use-tile-result.ts'

/** A published dashboard: no statements, no token, no links to other pages. */
export function PublicPage({ link }: { readonly link: string }): ReactNode {
  const [isPaused, setIsPaused] = useState(false)
  const dashboard = useQuery({
    queryKey: [...queryKeys.publicDashboard, link],
    queryFn: ({ signal }) => api.publicDashboard(link, signal),
    refetchOnWindowFocus: !isPaused,
    refetchInterval: ({ state }) => (isPaused ? false : (state.data?.refresh_seconds ?? 60) * 1000),
  })
  const { data, error } = dashboard
  useEffect(() => {
    if (data !== undefined) document.title = `${data.name} – flowfarm`
  }, [data])
  if (error instanceof ApiProblem && error.status === 404)
    return (
      <section className="panel alone">
        <h1 className="visually-hidden">Dashboard not found</h1>
        <EmptyState title="Dashboard not found">
          The link is wrong or was revoked. Ask the owner of the dashboard for a new one.
        </EmptyState>
      </section>
    )
  if (data === undefined)
    return (
      <section className="panel alone">
        <h1 className="visually-hidden">Dashboard</h1>
        {error === null ? (
          <Loading rows={6} label="Loading dashboard…" />
        ) : (
          <ErrorState
            title="Could not load the dashboard"
            detail={problemText(error)}
            onRetry={() => void dashboard.refetch()}
          />
        )}
      </section>
    )
  return (
    <>
      <div className="page-title">
        <h1 className="wrap">{escapeInvisible(data.name)}</h1>
        <div className="button-row">
          <span className="soft">Refreshed every {refreshText(data.refresh_seconds)}</span>
          <PauseButton isPaused={isPaused} onChange={setIsPaused} />
        </div>
      </div>
      {data.tiles.length === 0 && (
        <section className="panel alone">
          <EmptyState title="No tiles yet">The owner has not added queries to this dashboard.</EmptyState>
        </section>
      )}
      <div className="tiles">
        {data.tiles.map((tile) => (
          <PublicTile key={tile.id} link={link} tile={tile} dashboard={data} isPaused={isPaused} />
        ))}
      </div>
    </>
  )
}

interface PublicTileProps {
  readonly link: string
  readonly tile: PublicDashboard['tiles'][number]
  readonly dashboard: PublicDashboard
  readonly isPaused: boolean
}

function PublicTile({ link, tile, dashboard, isPaused }: PublicTileProps): ReactNode {
  const result = useTileResult({
    key: [link, tile.id],
    read: (signal) => api.publicTile(link, tile.id, signal),
    refreshSeconds: dashboard.refresh_seconds,
    isPaused,
  })
  const title = tile.title === '' ? 'Deleted query' : tile.title
  return (
    <TileCard title={title} width={tile.width} result={result}>
      <TileBody title={title} view={tile.view} result={result} />
    </TileCard>
  )
}
