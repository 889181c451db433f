import { useState } from 'react'
import type { ReactNode } from 'react'
import { Button } from '../kit/button.tsx'
import { formatNumber } from '../kit/formats.ts'
import { tabId, Tabs } from '../kit/tabs.tsx'
import type { Overview } from './contract.ts'
import { DrillDialog } from './drill-dialog.tsx'
import { ErrorList } from './error-list.tsx'
import { HeightList } from './height-list.tsx'
import { LeaseList } from './lease-list.tsx'
import { RederiveDialog } from './rederive-dialog.tsx'
import type { Summary } from './summary.ts'
import { useView } from './view.ts'
import type { Section } from './view-address.ts'

const panelId = 'needs-you-list'
const labels: Record<Section, string> = {
  flagged: 'Stuck',
  failed: 'Retrying',
  skipped: 'Skipped',
  errors: 'Indexing errors',
  heights: 'Unavailable heights',
}

/** What waits for a person, and what may come to that. */
export function NeedsYou({ overview, summary }: { readonly overview: Overview; readonly summary: Summary }): ReactNode {
  const [view, change] = useView()
  const [isRederiving, setIsRederiving] = useState(false)
  const [isDrilling, setIsDrilling] = useState(false)
  const counts: Record<Section, number> = {
    flagged: summary.flagged,
    failed: summary.failed,
    skipped: summary.skipped,
    errors: overview.unresolvedErrors,
    heights: overview.failingHeights + overview.unavailableHeights,
  }
  const tabs = (Object.keys(labels) as Section[]).map((name) => ({
    name,
    label: (
      <>
        {labels[name]} <span className={`count ${counts[name] > 0 ? name : ''}`}>{formatNumber(counts[name])}</span>
      </>
    ),
  }))
  return (
    <section className="panel" id="needs-you" aria-labelledby="needs-you-title">
      <header>
        <h2 id="needs-you-title">Needs you</h2>
        <Tabs
          label="What needs you"
          panelId={panelId}
          tabs={tabs}
          selected={view.section}
          onSelect={(section) => change({ section, worker: undefined, code: undefined })}
        />
        <div className="header-end">
          <Button isSmall onClick={() => setIsDrilling(true)}>
            Fault drill…
          </Button>
          <Button isSmall onClick={() => setIsRederiving(true)}>
            Derive again…
          </Button>
        </div>
      </header>
      <div id={panelId} role="tabpanel" tabIndex={-1} aria-labelledby={tabId(panelId, view.section)}>
        {view.section === 'errors' ? (
          <ErrorList overview={overview} />
        ) : view.section === 'heights' ? (
          <HeightList overview={overview} />
        ) : (
          <LeaseList key={view.section} status={view.section} overview={overview} count={counts[view.section]} />
        )}
      </div>
      {isDrilling && <DrillDialog overview={overview} onClose={() => setIsDrilling(false)} />}
      {isRederiving && <RederiveDialog overview={overview} onClose={() => setIsRederiving(false)} />}
    </section>
  )
}
