import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import type { ReactNode } from 'react'
import { Button } from '../kit/button.tsx'
import { shownText } from '../kit/cell-text.ts'
import { Dialog } from '../kit/dialog.tsx'
import { download } from '../kit/download.ts'
import { Icon } from '../kit/icon.tsx'
import { NothingHere } from '../kit/state.tsx'
import { useToast } from '../kit/toast.tsx'
import { api, problemText } from './api.ts'
import type { Chosen } from './chosen.ts'
import type { Pair } from './contract.ts'
import { ListState } from './list-state.tsx'
import { useKept } from './queries.ts'
import { queryClient, queryKeys } from './query-client.ts'

/** So many are seen at a glance; among more than these one looks for words. */
const seenAtOnce = 8

/** Answers that somebody kept as examples, and how to have them forgotten. */
export function KeptList({ onChoose }: { readonly onChoose: (chosen: Chosen) => void }): ReactNode {
  const kept = useKept()
  const say = useToast()
  const [filter, setFilter] = useState('')
  const [unwanted, setUnwanted] = useState<Pair>()
  const exporting = useMutation({
    mutationFn: () => api.exportKept(),
    onSuccess: (lines) => download('flowfarm-examples.jsonl', 'application/jsonl', lines),
    onError: (error) => say(problemText(error), 'bad'),
  })
  const pairs = kept.data
  if (pairs === undefined) return <ListState list={kept} what="the kept examples" />
  if (pairs.length === 0)
    return (
      <NothingHere title="Nothing is kept yet">Keep an answer that is right, and the model learns from it.</NothingHere>
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
      {shown.length === 0 && <NothingHere title="None has this text">Another text may be in some.</NothingHere>}
      <ul className="choices">
        {shown.map((pair) => (
          <li key={pair.id} className="with-action">
            <button type="button" onClick={() => onChoose(pair)}>
              <span className="choice-text">{shownText(pair.question)}</span>
              <span className="note choice-text">{shownText(pair.sql)}</span>
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
      <p className="wrap">{shownText(pair.question)}</p>
      <p className="soft">The model is not shown it any more. It is deleted for all who use this service.</p>
    </Dialog>
  )
}
