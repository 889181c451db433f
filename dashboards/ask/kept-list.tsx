import type { ReactNode } from 'react'
import { useMutation } from '@tanstack/react-query'
import { Button } from '../kit/button.tsx'
import { Icon } from '../kit/icon.tsx'
import { NothingHere } from '../kit/state.tsx'
import { useToast } from '../kit/toast.tsx'
import { api, problemText } from './api.ts'
import { shownText } from './cell-text.ts'
import type { Chosen } from './chosen.ts'
import { download } from './download.ts'
import { ListState } from './list-state.tsx'
import { useKept } from './queries.ts'
import { queryClient, queryKeys } from './query-client.ts'

/** Answers that somebody kept as examples, and how to have them forgotten. */
export function KeptList({ onChoose }: { readonly onChoose: (chosen: Chosen) => void }): ReactNode {
  const kept = useKept()
  const say = useToast()
  const forgetting = useMutation({
    mutationFn: (id: string) => api.forget(id),
    onSuccess: () => queryClient.invalidateQueries({ queryKey: queryKeys.kept }),
    onError: (error) => say(problemText(error), 'bad'),
  })
  const exporting = useMutation({
    mutationFn: () => api.exportKept(),
    onSuccess: (lines) => download('flowfarm-examples.jsonl', 'application/jsonl', lines),
    onError: (error) => say(problemText(error), 'bad'),
  })
  const pairs = kept.data
  if (pairs === undefined) return <ListState list={kept} what="the kept examples" />
  if (pairs.length === 0) return <NothingHere title="Nothing is kept yet">Keep an answer that is right, and the model learns from it.</NothingHere>
  return (
    <>
      <ul className="choices">
        {pairs.map((pair) => (
          <li key={pair.id} className="with-action">
            <button type="button" onClick={() => onChoose(pair)}>
              <span className="choice-text">{shownText(pair.question)}</span>
              <span className="note choice-text">{shownText(pair.sql)}</span>
            </button>
            <Button
              look="plain" isSmall isIcon aria-label={`Forget “${pair.question}”`} disabled={forgetting.isPending}
              onClick={() => forgetting.mutate(pair.id)}
            >
              <Icon name="cross" size={14} />
            </Button>
          </li>
        ))}
      </ul>
      <footer className="more">
        <Button isSmall disabled={exporting.isPending} onClick={() => exporting.mutate()}>Export all</Button>
      </footer>
    </>
  )
}
