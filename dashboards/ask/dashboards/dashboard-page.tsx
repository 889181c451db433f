import { useMutation } from '@tanstack/react-query'
import { useEffect, useState } from 'react'
import type { ReactNode } from 'react'
import { ApiProblem, problemText } from '../../kit/api.ts'
import { Button, Icon } from '../../kit/controls.tsx'
import { Modal } from '../../kit/dialog.tsx'
import { escapeInvisible } from '../../kit/result-table.ts'
import { Link, useSearchValue } from '../../kit/router.tsx'
import { EmptyState } from '../../kit/state.tsx'
import { CopyButton, useToast } from '../../kit/toast.tsx'
import type { Dashboard } from '../answers.gen.ts'
import { api, queryClient, queryKeys, useDashboard, useSavedQueries } from '../api.ts'
import type { TileResult } from '../api.ts'
import { ListState } from '../lists.tsx'
import { DashboardEditor } from './dashboard-editor.tsx'
import { refreshText, tileTitle } from './edited-tiles.ts'
import type { Tile } from './edited-tiles.ts'
import { PauseButton } from './pause-button.tsx'
import { TileBody, TileCard } from './tile-card.tsx'
import { useTileResult } from './use-tile-result.ts'

export function DashboardPage({ id }: { readonly id: string }): ReactNode {
  const dashboard = useDashboard(id)
  const [edit, setEdit] = useSearchValue('edit')
  const { data, error } = dashboard
  useEffect(() => {
    if (data !== undefined) document.title = `${data.name} – flowfarm`
  }, [data])
  if (data === undefined)
    return (
      <section className="panel alone">
        <h1 className="visually-hidden">Dashboard</h1>
        {error instanceof ApiProblem && error.status === 404 ? (
          <EmptyState title="Dashboard not found">
            It was deleted. See the <Link to="/dashboards">list of dashboards</Link>.
          </EmptyState>
        ) : (
          <ListState list={dashboard} what="the dashboard" />
        )}
      </section>
    )
  if (edit === 'yes') return <DashboardEditor dashboard={data} onClose={() => setEdit('')} />
  return <DashboardView dashboard={data} onEdit={() => setEdit('yes')} />
}

interface DashboardViewProps {
  readonly dashboard: Dashboard
  readonly onEdit: () => void
}

function DashboardView({ dashboard, onEdit }: DashboardViewProps): ReactNode {
  const { id, name, tiles, link, refresh_seconds: refreshSeconds } = dashboard
  const [isPaused, setIsPaused] = useState(false)
  const [isSharing, setIsSharing] = useState(false)
  const queries = useSavedQueries().data ?? []
  const refreshing = useMutation({ mutationFn: () => Promise.allSettled(tiles.map((tile) => runAgain(id, tile.id))) })
  return (
    <>
      <div className="page-title">
        <h1 className="wrap">{escapeInvisible(name)}</h1>
        <div className="button-row">
          <span className="soft">Refreshed every {refreshText(refreshSeconds)}</span>
          <PauseButton isPaused={isPaused} onChange={setIsPaused} />
          <Button disabled={refreshing.isPending || tiles.length === 0} onClick={() => refreshing.mutate()}>
            <Icon name="retry" size={14} /> Refresh
          </Button>
          <Button onClick={() => setIsSharing(true)}>
            <Icon name="globe" size={14} /> {link === null ? 'Share' : 'Shared'}
          </Button>
          <Button onClick={onEdit}>
            <Icon name="pencil" size={14} /> Edit
          </Button>
        </div>
      </div>
      {tiles.length === 0 && (
        <section className="panel alone">
          <EmptyState title="No tiles yet">Choose Edit, then add saved queries.</EmptyState>
        </section>
      )}
      <div className="tiles">
        {tiles.map((tile) => (
          <OwnTile
            key={tile.id}
            dashboard={dashboard}
            tile={tile}
            title={tileTitle(tile, queries)}
            isPaused={isPaused}
          />
        ))}
      </div>
      {isSharing && <ShareDialog dashboard={dashboard} onClose={() => setIsSharing(false)} />}
    </>
  )
}

async function runAgain(id: string, tile: string): Promise<TileResult> {
  return await queryClient.query({
    queryKey: [...queryKeys.tiles, id, tile],
    queryFn: ({ signal }) => api.tile(id, tile, signal, 0),
    staleTime: 0,
  })
}

interface OwnTileProps {
  readonly dashboard: Dashboard
  readonly tile: Tile
  readonly title: string
  readonly isPaused: boolean
}

function OwnTile({ dashboard, tile, title, isPaused }: OwnTileProps): ReactNode {
  const result = useTileResult({
    key: [dashboard.id, tile.id],
    read: (signal) => api.tile(dashboard.id, tile.id, signal),
    refreshSeconds: dashboard.refresh_seconds,
    isPaused,
  })
  return (
    <TileCard title={title} width={tile.width} result={result}>
      <TileBody title={title} view={tile.view} result={result} />
    </TileCard>
  )
}

interface ShareDialogProps {
  readonly dashboard: Dashboard
  readonly onClose: () => void
}

function ShareDialog({ dashboard: { id, link }, onClose }: ShareDialogProps): ReactNode {
  const showToast = useToast()
  const setLink = useMutation({
    mutationFn: (isPublic: boolean) => (isPublic ? api.publishDashboard(id) : api.revokeLink(id)),
    onSuccess: (changed) => {
      queryClient.setQueryData([...queryKeys.dashboard, id], changed)
      void queryClient.invalidateQueries({ queryKey: queryKeys.dashboards })
    },
    onError: (error) => showToast(problemText(error), 'bad'),
  })
  const url = `${location.origin}/d/${link}`
  return (
    <Modal title="Public link" onClose={onClose}>
      <div className="share">
        <p className="soft">
          Anyone with the link sees the titles and results of all tiles, not the SQL. All viewers share one result of
          each tile.
        </p>
        {link === null ? (
          <Button look="strong" disabled={setLink.isPending} onClick={() => setLink.mutate(true)}>
            Create link
          </Button>
        ) : (
          <>
            <div className="share-link">
              <input
                className="input"
                aria-label="Link"
                readOnly
                value={url}
                onFocus={(event) => event.target.select()}
              />
              <CopyButton text={url} what="link" />
            </div>
            <div className="button-row">
              <a className="button" href={url} target="_blank" rel="noreferrer">
                <Icon name="external" size={14} /> Open
              </a>
              <Button look="danger" disabled={setLink.isPending} onClick={() => setLink.mutate(false)}>
                Revoke link
              </Button>
            </div>
          </>
        )}
      </div>
    </Modal>
  )
}
