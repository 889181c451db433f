import { useMutation } from '@tanstack/react-query'
import { useEffect, useState } from 'react'
import type { ReactNode } from 'react'
import { problemText } from '../../kit/api.ts'
import { Badge, Button, Icon } from '../../kit/controls.tsx'
import { Dialog } from '../../kit/dialog.tsx'
import { formatCount } from '../../kit/formats.ts'
import { escapeInvisible } from '../../kit/result-table.ts'
import { Link, navigate } from '../../kit/router.tsx'
import { EmptyState } from '../../kit/state.tsx'
import { Ago } from '../../kit/time.tsx'
import type { DashboardSummary } from '../answers.gen.ts'
import { api, queryClient, queryKeys, useDashboards } from '../api.ts'
import { DeleteDialog, ListState, NameField } from '../lists.tsx'
import { refreshText } from './edited-tiles.ts'

export function DashboardList(): ReactNode {
  const [isNaming, setIsNaming] = useState(false)
  const [deleted, setDeleted] = useState<DashboardSummary>()
  const dashboards = useDashboards()
  useEffect(() => {
    document.title = 'Dashboards – flowfarm'
  }, [])
  return (
    <>
      <div className="page-title">
        <h1>Dashboards</h1>
        <Button look="strong" disabled={dashboards.data === undefined} onClick={() => setIsNaming(true)}>
          <Icon name="plus" size={14} /> New dashboard
        </Button>
      </div>
      <section className="panel alone" aria-label="Dashboards">
        {dashboards.data === undefined ? (
          <ListState list={dashboards} what="dashboards" />
        ) : dashboards.data.length === 0 ? (
          <EmptyState title="No dashboards yet">
            A dashboard shows saved queries side by side. Create one, then add queries.
          </EmptyState>
        ) : (
          <ul className="dashboard-list">
            {dashboards.data.map((each) => (
              <li key={each.id}>
                <div>
                  <Link className="wrap" to={`/dashboards/${each.id}`}>
                    {escapeInvisible(each.name)}
                  </Link>{' '}
                  {each.link !== null && <Badge tone="good">public</Badge>}
                  <span className="note">
                    {formatCount(each.tiles, 'tile')} · refreshed every {refreshText(each.refresh_seconds)} ·
                    {' changed '}
                    <Ago at={each.updated_at} />
                  </span>
                </div>
                <Button
                  look="plain"
                  isSmall
                  isIcon
                  aria-label={`Delete dashboard “${each.name}”`}
                  onClick={() => setDeleted(each)}
                >
                  <Icon name="trash" size={14} />
                </Button>
              </li>
            ))}
          </ul>
        )}
      </section>
      {isNaming && <NewDialog onClose={() => setIsNaming(false)} />}
      {deleted !== undefined && (
        <DeleteDialog
          what="dashboard"
          name={deleted.name}
          remove={() => api.deleteDashboard(deleted.id)}
          queryKey={queryKeys.dashboards}
          onClose={() => setDeleted(undefined)}
        >
          It is deleted for all users of this service, and its public link ends. Saved queries stay.
        </DeleteDialog>
      )}
    </>
  )
}

function NewDialog({ onClose }: { readonly onClose: () => void }): ReactNode {
  const [name, setName] = useState('')
  const creating = useMutation({
    mutationFn: () => api.createDashboard({ name, refresh_seconds: 300, tiles: [] }),
    onSuccess: (made) => {
      void queryClient.invalidateQueries({ queryKey: queryKeys.dashboards })
      onClose()
      navigate(`/dashboards/${made.id}?edit=yes`)
    },
  })
  return (
    <Dialog
      title="New dashboard"
      action="Create"
      isBusy={creating.isPending}
      error={creating.error === null ? undefined : problemText(creating.error)}
      onSubmit={() => creating.mutate()}
      onClose={onClose}
    >
      <NameField name={name} onChange={setName} />
      <p className="soft">All users of this service see it.</p>
    </Dialog>
  )
}
