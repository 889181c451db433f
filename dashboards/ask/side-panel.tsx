import { useId, useState } from 'react'
import type { ReactNode } from 'react'
import { Tabs, tabId } from '../kit/tabs.tsx'
import { HistoryList } from './history-list.tsx'
import { KeptList } from './kept-list.tsx'
import type { Chosen } from './chosen.ts'

const tabs = [
  { name: 'history', label: 'History' },
  { name: 'kept', label: 'Kept examples' },
] as const

/** What was asked before, and what was kept. */
export function SidePanel({ onChoose }: { readonly onChoose: (chosen: Chosen) => void }): ReactNode {
  const [tab, setTab] = useState<(typeof tabs)[number]['name']>('history')
  const id = useId()
  return (
    <aside className="panel side" aria-label="Earlier questions">
      <header>
        <Tabs label="Earlier questions" tabs={tabs} selected={tab} panelId={id} onSelect={setTab} />
      </header>
      <div id={id} role="tabpanel" aria-labelledby={tabId(id, tab)}>
        {tab === 'history' ? <HistoryList onChoose={onChoose} /> : <KeptList onChoose={onChoose} />}
      </div>
    </aside>
  )
}
