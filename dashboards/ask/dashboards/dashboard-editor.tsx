import { useMutation } from '@tanstack/react-query'
import { useId, useState } from 'react'
import type { ReactNode } from 'react'
import { flushSync } from 'react-dom'
import { ApiProblem, problemText } from '../../kit/api.ts'
import { Button, FieldError, Form, Icon } from '../../kit/controls.tsx'
import { EmptyState } from '../../kit/state.tsx'
import { useToast } from '../../kit/toast.tsx'
import type { Dashboard } from '../answers.gen.ts'
import { api, queryClient, queryKeys, useSavedQueries } from '../api.ts'
import { hasSameResult, maxTiles, moveTile, putTile, refreshChoices, refreshText, tileTitle } from './edited-tiles.ts'
import type { Tile } from './edited-tiles.ts'
import { TileBody, TileCard } from './tile-card.tsx'
import { TileDialog } from './tile-dialog.tsx'
import { useTileResult } from './use-tile-result.ts'

interface DashboardEditorProps {
  readonly dashboard: Dashboard
  readonly onClose: () => void
}

export function DashboardEditor({ dashboard, onClose }: DashboardEditorProps): ReactNode {
  const [name, setName] = useState(dashboard.name)
  const [refreshSeconds, setRefreshSeconds] = useState(dashboard.refresh_seconds)
  const [tiles, setTiles] = useState<readonly Tile[]>(dashboard.tiles)
  // A reload in the background must not change which version the edits replace.
  const [basis] = useState(dashboard.updated_at)
  const [edited, setEdited] = useState<Tile | 'new'>()
  const [dragged, setDragged] = useState<string>()
  const queries = useSavedQueries().data ?? []
  const showToast = useToast()
  const id = useId()
  const saving = useMutation({
    mutationFn: (mayOverwrite: boolean) =>
      api.updateDashboard(dashboard.id, {
        name,
        refresh_seconds: refreshSeconds,
        tiles,
        ...(mayOverwrite ? {} : { updated_at: basis }),
      }),
    onError: () => void queryClient.invalidateQueries({ queryKey: [...queryKeys.dashboard, dashboard.id] }),
    onSuccess: async (stored) => {
      queryClient.setQueryData([...queryKeys.dashboard, dashboard.id], stored)
      void queryClient.invalidateQueries({ queryKey: queryKeys.dashboards })
      onClose()
      showToast('Dashboard saved.')
      await queryClient.invalidateQueries({ queryKey: [...queryKeys.tiles, dashboard.id] })
    },
  })
  const isChanged = saving.error instanceof ApiProblem && saving.error.code === 'dashboard-changed'
  const choices = [...new Set([...refreshChoices, refreshSeconds])].toSorted((a, b) => a - b)
  return (
    <>
      <Form className="panel dashboard-form" aria-label="Edit dashboard" onSubmit={() => saving.mutate(false)}>
        <h1 className="visually-hidden">Edit dashboard</h1>
        <div className="field name">
          <label htmlFor={`${id}-name`}>Name</label>
          <input
            id={`${id}-name`}
            className="input"
            required
            maxLength={100}
            value={name}
            onChange={(event) => setName(event.target.value)}
          />
        </div>
        <div className="field">
          <label htmlFor={`${id}-refresh`}>Refresh every</label>
          <select
            id={`${id}-refresh`}
            className="input"
            value={refreshSeconds}
            onChange={(event) => setRefreshSeconds(Number(event.target.value))}
          >
            {choices.map((seconds) => (
              <option key={seconds} value={seconds}>
                {refreshText(seconds)}
              </option>
            ))}
          </select>
        </div>
        <div className="button-row">
          <Button disabled={tiles.length >= maxTiles} onClick={() => setEdited('new')}>
            <Icon name="plus" size={14} /> Add tile
          </Button>
          <Button onClick={onClose}>Cancel</Button>
          <Button type="submit" look="strong" disabled={saving.isPending}>
            Save
          </Button>
        </div>
        {tiles.length >= maxTiles && <p className="note">A dashboard has at most {maxTiles} tiles.</p>}
        {isChanged ? (
          <div className="button-row">
            <FieldError>
              Another user changed this dashboard. Cancel shows that version; your edits are lost.
            </FieldError>
            <Button look="danger" disabled={saving.isPending} onClick={() => saving.mutate(true)}>
              Overwrite
            </Button>
          </div>
        ) : (
          <FieldError>{saving.error === null ? undefined : problemText(saving.error)}</FieldError>
        )}
      </Form>
      {tiles.length === 0 && (
        <section className="panel alone">
          <EmptyState title="No tiles yet">Choose Add tile to show a saved query.</EmptyState>
        </section>
      )}
      <div className="tiles">
        {tiles.map((tile, i) => (
          <div
            key={tile.id}
            className={`tile-place w${tile.width}${dragged === tile.id ? ' dragged' : ''}`}
            draggable
            onDragStart={(event) => {
              event.dataTransfer.setData('text/plain', tile.id)
              setDragged(tile.id)
            }}
            onDragEnd={() => setDragged(undefined)}
            onDragOver={(event) => {
              if (dragged !== undefined) event.preventDefault()
            }}
            onDrop={(event) => {
              event.preventDefault()
              if (dragged !== undefined) setTiles(moveTile(tiles, dragged, i))
            }}
          >
            <EditedTile
              dashboard={dashboard}
              tile={tile}
              title={tileTitle(tile, queries)}
              place={i}
              count={tiles.length}
              onMove={(to) => setTiles(moveTile(tiles, tile.id, to))}
              onChange={(changed) => setTiles(putTile(tiles, changed))}
              onEdit={() => setEdited(tile)}
              onRemove={() => setTiles(tiles.filter((each) => each !== tile))}
            />
          </div>
        ))}
      </div>
      {edited !== undefined && (
        <TileDialog
          tile={edited === 'new' ? undefined : edited}
          onSubmit={(tile) => {
            setTiles(putTile(tiles, tile))
            setEdited(undefined)
          }}
          onClose={() => setEdited(undefined)}
        />
      )}
    </>
  )
}

interface EditedTileProps {
  readonly dashboard: Dashboard
  readonly tile: Tile
  readonly title: string
  readonly place: number
  readonly count: number
  readonly onMove: (to: number) => void
  readonly onChange: (tile: Tile) => void
  readonly onEdit: () => void
  readonly onRemove: () => void
}

function EditedTile({ dashboard, tile, title, place, count, onMove, ...on }: EditedTileProps): ReactNode {
  const stored = dashboard.tiles.find(({ id }) => id === tile.id)
  const move = (label: string, to: number): ReactNode => (
    <Button
      isSmall
      isIcon
      aria-label={`Move “${title}” ${label}`}
      aria-disabled={to < 0 || to >= count}
      onClick={({ currentTarget }) => {
        // Moving an element in the document takes its focus.
        flushSync(() => onMove(to))
        currentTarget.focus()
      }}
    >
      <span className={label}>
        <Icon name="chevron" size={14} />
      </span>
    </Button>
  )
  const tools = (
    <div className="tile-tools" role="group" aria-label={`Tile “${title}”`}>
      {move('earlier', place - 1)}
      {move('later', place + 1)}
      <select
        className="input"
        aria-label={`Width of “${title}”`}
        value={tile.width}
        onChange={(event) => on.onChange({ ...tile, width: Number(event.target.value) })}
      >
        <option value={1}>1 column</option>
        <option value={2}>2 columns</option>
        <option value={3}>3 columns</option>
      </select>
      <select
        className="input"
        aria-label={`View of “${title}”`}
        value={tile.view}
        onChange={(event) => on.onChange({ ...tile, view: event.target.value === 'chart' ? 'chart' : 'table' })}
      >
        <option value="table">Table</option>
        <option value="chart">Chart</option>
      </select>
      <Button isSmall isIcon aria-label={`Edit “${title}”`} onClick={on.onEdit}>
        <Icon name="pencil" size={14} />
      </Button>
      <Button isSmall isIcon aria-label={`Remove “${title}”`} onClick={on.onRemove}>
        <Icon name="trash" size={14} />
      </Button>
    </div>
  )
  return (
    <TileCard title={title} width={tile.width} tools={tools}>
      {hasSameResult(stored, tile) ? (
        <StoredResult id={dashboard.id} tile={tile} title={title} />
      ) : (
        <EmptyState title="Not saved yet">Save the dashboard to see the result.</EmptyState>
      )}
    </TileCard>
  )
}

interface StoredResultProps {
  readonly id: string
  readonly tile: Tile
  readonly title: string
}

function StoredResult({ id, tile, title }: StoredResultProps): ReactNode {
  const result = useTileResult({
    key: [id, tile.id],
    read: (signal) => api.tile(id, tile.id, signal),
    refreshSeconds: 0,
    isPaused: true,
  })
  return <TileBody title={title} view={tile.view} result={result} />
}
