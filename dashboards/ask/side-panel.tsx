import { useId, useState, useSyncExternalStore } from 'react'
import type { ReactNode } from 'react'
import { Modal } from '../kit/dialog.tsx'
import { Tabs, tabId } from '../kit/tabs.tsx'
import type { SavedQuery } from './answers.gen.ts'
import type { SelectedQuery, Target } from './draft.ts'
import { AlertList } from './alerts.tsx'
import { HistoryList, SavedList } from './lists.tsx'
import { QueryList } from './saved-queries.tsx'
import { SchemaBrowser } from './schema-browser.tsx'

const tabs = [
  { name: 'tables', label: 'Tables' },
  { name: 'queries', label: 'Queries' },
  { name: 'alerts', label: 'Alerts' },
  { name: 'history', label: 'History' },
  { name: 'saved', label: 'Examples' },
] as const

export interface SidePanelProps {
  readonly target: Target
  readonly onInsert: (text: string) => void
  readonly onChoose: (chosen: SelectedQuery) => void
  readonly onRun: (query: SavedQuery) => void
}

const title = 'Tables and queries'

/** Beside the page on wide screens, a sheet on narrow ones. */
export function SidePanel(props: SidePanelProps & { readonly onClose: () => void }): ReactNode {
  const isNarrow = useIsNarrow()
  const { onClose, ...lists } = props
  if (!isNarrow)
    return (
      <aside className="panel side" aria-label={title}>
        <SideLists {...lists} />
      </aside>
    )
  const closing =
    <Value,>(act: (value: Value) => void) =>
    (value: Value): void => {
      onClose()
      act(value)
    }
  return (
    <Modal title={title} isWide onClose={onClose}>
      <div className="sheet">
        <SideLists
          {...lists}
          onInsert={closing(lists.onInsert)}
          onChoose={closing(lists.onChoose)}
          onRun={closing(lists.onRun)}
        />
      </div>
    </Modal>
  )
}

function SideLists({ target, onInsert, onChoose, onRun }: SidePanelProps): ReactNode {
  const [tab, setTab] = useState<(typeof tabs)[number]['name']>('tables')
  const id = useId()
  return (
    <>
      <header>
        <Tabs label={title} tabs={tabs} selected={tab} panelId={id} onSelect={setTab} />
      </header>
      <div id={id} role="tabpanel" aria-labelledby={tabId(id, tab)}>
        {tab === 'tables' && <SchemaBrowser target={target} onInsert={onInsert} onChoose={onChoose} />}
        {tab === 'queries' && <QueryList onRun={onRun} />}
        {tab === 'alerts' && <AlertList target={target} />}
        {tab === 'history' && <HistoryList onChoose={onChoose} />}
        {tab === 'saved' && <SavedList onChoose={onChoose} />}
      </div>
    </>
  )
}

const narrowScreen = matchMedia('(max-width: 64rem)')

function subscribe(onChange: () => void): () => void {
  narrowScreen.addEventListener('change', onChange)
  return () => narrowScreen.removeEventListener('change', onChange)
}

export function useIsNarrow(): boolean {
  return useSyncExternalStore(subscribe, () => narrowScreen.matches)
}
