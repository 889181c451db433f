import type { ReactNode } from 'react'
import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import type { UseQueryResult } from '@tanstack/react-query'
import { Ago } from '../kit/time.tsx'
import { Badge, Button, Icon } from '../kit/controls.tsx'
import { formatCount } from '../kit/formats.ts'
import { EmptyState, ErrorState, Loading } from '../kit/state.tsx'
import { useToast } from '../kit/toast.tsx'
import { api, useHistory, queryClient, queryKeys, useKept, isTokenWanted, useHealth } from './api.ts'
import { problemText } from '../kit/api.ts'
import { escapeInvisible } from '../kit/result-table.ts'
import type { Chosen } from './draft.ts'
import type { HistoryItem } from './answers.gen.ts'
import type { Pair } from './draft.ts'
import { Dialog } from '../kit/dialog.tsx'
import { download } from '../kit/browser.ts'
import { useToken } from '../kit/token.ts'

/** What was asked lately with this token, newest first. */
export function HistoryList({ onChoose }: { readonly onChoose: (chosen: Chosen) => void }): ReactNode {
  const history = useHistory()
  const showToast = useToast()
  const clearing = useMutation({
    mutationFn: () => api.clearHistory(),
    onSuccess: () => queryClient.invalidateQueries({ queryKey: queryKeys.history }),
    onError: (error) => showToast(problemText(error), 'bad'),
  })
  const items = history.data
  if (items === undefined) return <ListState list={history} what="the history" />
  if (items.length === 0)
    return <EmptyState title="Nothing was asked yet">The service keeps the newest 200 until it stops.</EmptyState>
  return (
    <>
      <ul className="choices">
        {items.map((item) => (
          <li key={item.id}>
            <button
              type="button"
              onClick={() => onChoose({ target: item.target, question: item.question ?? '', sql: item.sql })}
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

/** So many are seen at a glance; among more than these one looks for words. */
const seenAtOnce = 8

/** Answers that somebody kept as examples, and how to have them forgotten. */
export function KeptList({ onChoose }: { readonly onChoose: (chosen: Chosen) => void }): ReactNode {
  const kept = useKept()
  const showToast = useToast()
  const [filter, setFilter] = useState('')
  const [unwanted, setUnwanted] = useState<Pair>()
  const exporting = useMutation({
    mutationFn: () => api.exportKept(),
    onSuccess: (lines) => download('flowfarm-examples.jsonl', 'application/jsonl', lines),
    onError: (error) => showToast(problemText(error), 'bad'),
  })
  const pairs = kept.data
  if (pairs === undefined) return <ListState list={kept} what="the kept examples" />
  if (pairs.length === 0)
    return (
      <EmptyState title="Nothing is kept yet">Keep an answer that is right, and the model learns from it.</EmptyState>
    )
  const shown = pairs.filter((pair) => hasText(pair, filter))
  return (
    <>
      {pairs.length > seenAtOnce && (
        <label className="list-filter">
          <span className="visually-hidden">Filter the kept examples</span>
          <input
            className="input"
            type="search"
            placeholder={`Filter ${pairs.length} examples`}
            value={filter}
            onChange={(event) => setFilter(event.target.value)}
          />
        </label>
      )}
      {shown.length === 0 && <EmptyState title="None has this text">Another text may be in some.</EmptyState>}
      <ul className="choices">
        {shown.map((pair) => (
          <li key={pair.id} className="with-action">
            <button type="button" onClick={() => onChoose(pair)}>
              <span className="choice-text">{escapeInvisible(pair.question)}</span>
              <span className="note choice-text">{escapeInvisible(pair.sql)}</span>
            </button>
            <Button
              look="plain"
              isSmall
              isIcon
              aria-label={`Forget “${pair.question}”`}
              onClick={() => setUnwanted(pair)}
            >
              <Icon name="cross" size={14} />
            </Button>
          </li>
        ))}
      </ul>
      <footer className="more">
        <Button isSmall disabled={exporting.isPending} onClick={() => exporting.mutate()}>
          Export all
        </Button>
      </footer>
      {unwanted !== undefined && <ForgetDialog pair={unwanted} onClose={() => setUnwanted(undefined)} />}
    </>
  )
}

function hasText({ question, sql }: Pair, text: string): boolean {
  return `${question}\n${sql}`.toLowerCase().includes(text.trim().toLowerCase())
}

/** Asks before an example is gone: it is gone for all, and from disk. */
function ForgetDialog({ pair, onClose }: { readonly pair: Pair; readonly onClose: () => void }): ReactNode {
  const forgetting = useMutation({
    mutationFn: () => api.forget(pair.id),
    onSuccess: () => {
      onClose()
      void queryClient.invalidateQueries({ queryKey: queryKeys.kept })
    },
  })
  return (
    <Dialog
      title="Forget this example?"
      action="Forget it"
      isDangerous
      isBusy={forgetting.isPending}
      error={forgetting.error === null ? undefined : problemText(forgetting.error)}
      onSubmit={() => forgetting.mutate()}
      onClose={onClose}
    >
      <p className="wrap">{escapeInvisible(pair.question)}</p>
      <p className="soft">The model is not shown it any more. It is deleted for all who use this service.</p>
    </Dialog>
  )
}

/** What stands in place of a list that is not there: it is on its way, it is locked, or it could not be had. */
function ListState({ list, what }: { readonly list: UseQueryResult; readonly what: string }): ReactNode {
  const { data: health } = useHealth()
  const token = useToken()
  if (isTokenWanted(list.error) || (health?.needs_token === true && token === undefined))
    return <EmptyState title="A token is wanted">It opens {what}.</EmptyState>
  if (list.error !== null)
    return (
      <ErrorState
        title={`Could not load ${what}`}
        detail={problemText(list.error)}
        onRetry={() => void list.refetch()}
      />
    )
  return <Loading rows={4} label={`Loading ${what}`} />
}
