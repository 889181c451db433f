import type { ReactNode } from 'react'
import { useMutation } from '@tanstack/react-query'
import { useId, useState } from 'react'
import type { UseQueryResult } from '@tanstack/react-query'
import { Ago } from '../kit/time.tsx'
import { Badge, Button, Icon } from '../kit/controls.tsx'
import { formatCount } from '../kit/formats.ts'
import { EmptyState, ErrorState, Loading } from '../kit/state.tsx'
import { useToast } from '../kit/toast.tsx'
import { api, useHistory, queryClient, queryKeys, useSavedExamples, isTokenRequired, useHealth } from './api.ts'
import { problemText } from '../kit/api.ts'
import { escapeInvisible } from '../kit/result-table.ts'
import type { SelectedQuery } from './draft.ts'
import type { HistoryItem } from './answers.gen.ts'
import type { Pair } from './draft.ts'
import { Dialog } from '../kit/dialog.tsx'
import { download } from '../kit/browser.ts'
import { useToken } from '../kit/token.ts'

export function HistoryList({ onChoose }: { readonly onChoose: (chosen: SelectedQuery) => void }): ReactNode {
  const history = useHistory()
  const showToast = useToast()
  const clearing = useMutation({
    mutationFn: () => api.clearHistory(),
    onSuccess: () => queryClient.invalidateQueries({ queryKey: queryKeys.history }),
    onError: (error) => showToast(problemText(error), 'bad'),
  })
  const items = history.data
  if (items === undefined) return <ListState list={history} what="history" />
  if (items.length === 0)
    return (
      <EmptyState title="No questions yet">
        Your newest 200 questions appear here until the service restarts.
      </EmptyState>
    )
  return (
    <>
      <ul className="choices">
        {items.map((item) => (
          <li key={item.id}>
            <button
              type="button"
              onClick={() =>
                onChoose({ target: item.target, question: item.question ?? '', sql: item.sql, parameters: [] })
              }
            >
              <span className="choice-text">{escapeInvisible(item.question ?? item.sql)}</span>
              <span className="note">
                <Ago at={item.timestamp} /> · <Outcome item={item} />
                {item.target === 'evm' && ' · EVM'}
              </span>
              {item.error !== null && <span className="note choice-text">{escapeInvisible(item.error)}</span>}
            </button>
          </li>
        ))}
      </ul>
      <footer className="more">
        <Button isSmall disabled={clearing.isPending} onClick={() => clearing.mutate()}>
          Clear history
        </Button>
      </footer>
    </>
  )
}

function Outcome({ item: { error, row_count: rows } }: { readonly item: HistoryItem }): ReactNode {
  if (error !== null) return <Badge tone="bad">failed</Badge>
  return rows === null ? 'SQL only' : formatCount(rows, 'row')
}

export function SavedList({ onChoose }: { readonly onChoose: (chosen: SelectedQuery) => void }): ReactNode {
  const saved = useSavedExamples()
  const showToast = useToast()
  const [filter, setFilter] = useState('')
  const [deleted, setDeleted] = useState<Pair>()
  const exporting = useMutation({
    mutationFn: () => api.exportSaved(),
    onSuccess: (lines) => download('flowfarm-examples.jsonl', 'application/jsonl', lines),
    onError: (error) => showToast(problemText(error), 'bad'),
  })
  const pairs = saved.data
  if (pairs === undefined) return <ListState list={saved} what="saved examples" />
  if (pairs.length === 0)
    return <EmptyState title="No saved examples yet">Save a correct answer as an example for the model.</EmptyState>
  const shown = pairs.filter((pair) => hasText(pair, filter))
  return (
    <>
      <ListFilter what="examples" count={pairs.length} value={filter} onChange={setFilter} />
      {shown.length === 0 && <EmptyState title="No matching examples">Change the filter.</EmptyState>}
      <ul className="choices">
        {shown.map((pair) => (
          <li key={pair.id} className="with-action">
            <button type="button" onClick={() => onChoose({ ...pair, parameters: [] })}>
              <span className="choice-text">{escapeInvisible(pair.question)}</span>
              <span className="note choice-text">{escapeInvisible(pair.sql)}</span>
            </button>
            <DeleteButton name={`“${pair.question}”`} onClick={() => setDeleted(pair)} />
          </li>
        ))}
      </ul>
      <footer className="more">
        <Button isSmall disabled={exporting.isPending} onClick={() => exporting.mutate()}>
          Export all
        </Button>
      </footer>
      {deleted !== undefined && (
        <DeleteDialog
          what="example"
          name={deleted.question}
          remove={() => api.deleteExample(deleted.id)}
          queryKey={queryKeys.saved}
          onClose={() => setDeleted(undefined)}
        >
          The model no longer sees this example. It is deleted for all users of this service.
        </DeleteDialog>
      )}
    </>
  )
}

function hasText({ question, sql }: Pair, text: string): boolean {
  return `${question}\n${sql}`.toLowerCase().includes(text.trim().toLowerCase())
}

const seenAtOnce = 8

interface ListFilterProps {
  readonly what: 'examples' | 'queries'
  readonly count: number
  readonly value: string
  readonly onChange: (value: string) => void
}

/** Nothing for short lists. */
export function ListFilter({ what, count, value, onChange }: ListFilterProps): ReactNode {
  if (count <= seenAtOnce) return null
  return (
    <label className="list-filter">
      <span className="visually-hidden">Filter saved {what}</span>
      <input
        className="input"
        type="search"
        placeholder={`Filter ${count} ${what}`}
        value={value}
        onChange={(event) => onChange(event.target.value)}
      />
    </label>
  )
}

interface DeleteButtonProps {
  readonly name: string
  readonly onClick: () => void
}

export function DeleteButton({ name, onClick }: DeleteButtonProps): ReactNode {
  return (
    <Button look="plain" isSmall isIcon aria-label={`Delete ${name}`} onClick={onClick}>
      <Icon name="cross" size={14} />
    </Button>
  )
}

interface NameFieldProps {
  readonly name: string
  readonly onChange: (name: string) => void
}

export function NameField({ name, onChange }: NameFieldProps): ReactNode {
  const id = useId()
  return (
    <div className="field">
      <label htmlFor={id}>Name</label>
      <input
        id={id}
        className="input"
        required
        maxLength={100}
        autoFocus
        value={name}
        onChange={(event) => onChange(event.target.value)}
      />
    </div>
  )
}

interface DeleteDialogProps {
  readonly what: 'alert' | 'example' | 'query' | 'dashboard'
  readonly name: string
  readonly remove: () => Promise<unknown>
  readonly queryKey: readonly string[]
  readonly onClose: () => void
  readonly children: ReactNode
}

export function DeleteDialog({ what, name, remove, queryKey, onClose, children }: DeleteDialogProps): ReactNode {
  const deletion = useMutation({
    mutationFn: remove,
    onSuccess: () => {
      onClose()
      void queryClient.invalidateQueries({ queryKey })
    },
  })
  return (
    <Dialog
      title={`Delete this ${what}?`}
      action="Delete"
      isDangerous
      isBusy={deletion.isPending}
      error={deletion.error === null ? undefined : problemText(deletion.error)}
      onSubmit={() => deletion.mutate()}
      onClose={onClose}
    >
      <p className="wrap">{escapeInvisible(name)}</p>
      <p className="soft">{children}</p>
    </Dialog>
  )
}

export function ListState({ list, what }: { readonly list: UseQueryResult; readonly what: string }): ReactNode {
  const { data: health } = useHealth()
  const token = useToken()
  if (isTokenRequired(list.error) || (health?.needs_token === true && token === undefined))
    return <EmptyState title="Authentication required">Enter a token to see {what}.</EmptyState>
  if (list.error !== null)
    return (
      <ErrorState
        title={`Could not load ${what}`}
        detail={problemText(list.error)}
        onRetry={() => void list.refetch()}
      />
    )
  return <Loading rows={4} label={`Loading ${what}…`} />
}
