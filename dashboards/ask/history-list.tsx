import type { ReactNode } from 'react'
import { useMutation } from '@tanstack/react-query'
import { Ago } from '../kit/age.tsx'
import { Badge } from '../kit/badge.tsx'
import { Button } from '../kit/button.tsx'
import { formatCount } from '../kit/formats.ts'
import { NothingHere } from '../kit/state.tsx'
import { useToast } from '../kit/toast.tsx'
import { api, problemText } from './api.ts'
import { shownText } from '../kit/cell-text.ts'
import type { Chosen } from './chosen.ts'
import type { HistoryItem } from './contract.ts'
import { ListState } from './list-state.tsx'
import { useHistory } from './queries.ts'
import { queryClient, queryKeys } from './query-client.ts'

/** What was asked lately with this token, newest first. */
export function HistoryList({ onChoose }: { readonly onChoose: (chosen: Chosen) => void }): ReactNode {
  const history = useHistory()
  const say = useToast()
  const clearing = useMutation({
    mutationFn: () => api.clearHistory(),
    onSuccess: () => queryClient.invalidateQueries({ queryKey: queryKeys.history }),
    onError: (error) => say(problemText(error), 'bad'),
  })
  const items = history.data
  if (items === undefined) return <ListState list={history} what="the history" />
  if (items.length === 0)
    return <NothingHere title="Nothing was asked yet">The service keeps the newest 200 until it stops.</NothingHere>
  return (
    <>
      <ul className="choices">
        {items.map((item) => (
          <li key={item.id}>
            <button
              type="button"
              onClick={() => onChoose({ target: item.target, question: item.question ?? '', sql: item.sql })}
            >
              <span className="choice-text">{shownText(item.question ?? item.sql)}</span>
              <span className="note">
                <Ago at={item.timestamp} /> · <Outcome item={item} />
                {item.target === 'evm' && ' · EVM'}
              </span>
              {item.error !== null && <span className="note choice-text">{shownText(item.error)}</span>}
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
