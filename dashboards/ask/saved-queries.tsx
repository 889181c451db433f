import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import type { ReactNode } from 'react'
import { problemText } from '../kit/api.ts'
import { Dialog } from '../kit/dialog.tsx'
import { escapeInvisible } from '../kit/result-table.ts'
import { EmptyState } from '../kit/state.tsx'
import { useToast } from '../kit/toast.tsx'
import type { SavedQuery } from './answers.gen.ts'
import { api, queryClient, queryKeys, useSavedQueries } from './api.ts'
import type { SelectedQuery } from './draft.ts'
import { DeleteButton, DeleteDialog, ListFilter, ListState, NameField } from './lists.tsx'

export function QueryList({ onRun }: { readonly onRun: (query: SavedQuery) => void }): ReactNode {
  const saved = useSavedQueries()
  const [filter, setFilter] = useState('')
  const [deleted, setDeleted] = useState<SavedQuery>()
  if (saved.data === undefined) return <ListState list={saved} what="saved queries" />
  if (saved.data.length === 0)
    return (
      <EmptyState title="No saved queries yet">
        Write SQL, then choose Save. Write {'{{name}}'} for values that change.
      </EmptyState>
    )
  const words = filter.trim().toLowerCase()
  const shown = saved.data.filter(({ name, sql }) => `${name}\n${sql}`.toLowerCase().includes(words))
  return (
    <>
      <ListFilter what="queries" count={saved.data.length} value={filter} onChange={setFilter} />
      {shown.length === 0 && <EmptyState title="No matching queries">Change the filter.</EmptyState>}
      <ul className="choices">
        {shown.map((query) => (
          <li key={query.id} className="with-action">
            <button type="button" onClick={() => onRun(query)}>
              <span className="choice-text">{escapeInvisible(query.name)}</span>
              <span className="note choice-text">{escapeInvisible(query.sql)}</span>
            </button>
            <DeleteButton name={`query “${query.name}”`} onClick={() => setDeleted(query)} />
          </li>
        ))}
      </ul>
      {deleted !== undefined && (
        <DeleteDialog
          what="query"
          name={deleted.name}
          remove={() => api.deleteQuery(deleted.id)}
          queryKey={queryKeys.queries}
          onClose={() => setDeleted(undefined)}
        >
          It is deleted for all users of this service. Shared links keep working; dashboards lose its tiles.
        </DeleteDialog>
      )}
    </>
  )
}

interface SaveQueryDialogProps {
  readonly query: SelectedQuery
  readonly name: string
  readonly onSaved: (query: SavedQuery) => void
  readonly onClose: () => void
}

export function SaveQueryDialog({ query, name: firstName, onSaved, onClose }: SaveQueryDialogProps): ReactNode {
  const saved = useSavedQueries().data ?? []
  const [name, setName] = useState(firstName)
  const showToast = useToast()
  const saving = useMutation({
    mutationFn: () => api.saveQuery({ ...query, name: name.trim() }),
    onSuccess: (stored) => {
      onClose()
      onSaved(stored)
      showToast('Query saved.')
      void queryClient.invalidateQueries({ queryKey: queryKeys.queries })
    },
  })
  const isKnown = saved.some((other) => other.name === name.trim())
  return (
    <Dialog
      title="Save query"
      action={isKnown ? 'Replace' : 'Save'}
      isBusy={saving.isPending}
      error={saving.error === null ? undefined : problemText(saving.error)}
      onSubmit={() => saving.mutate()}
      onClose={onClose}
    >
      <NameField name={name} onChange={setName} />
      <p className="soft">
        {isKnown ? 'The saved query of this name is replaced.' : 'All users of this service see it.'}
        {query.parameters.length > 0 && ' The present values of the parameters become their defaults.'}
      </p>
    </Dialog>
  )
}
