import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import type { ReactNode } from 'react'
import { Button } from '../kit/controls.tsx'
import { Dialog } from '../kit/dialog.tsx'
import { formatNumber } from '../kit/formats.ts'
import { tabId, Tabs } from '../kit/tabs.tsx'
import { useToast } from '../kit/toast.tsx'
import { api } from './api.ts'
import { problemText } from '../kit/api.ts'
import type { Overview } from './answers.gen.ts'
import { ErrorList, HeightList } from './error-lists.tsx'
import { HeightField } from './parts.tsx'
import { LeaseList } from './lease-list.tsx'
import { RederiveDialog } from './rederive-dialog.tsx'
import type { Summary } from './summary.ts'
import type { Section } from './view.ts'
import { useView } from './use-view.ts'

const panelId = 'attention-list'
const labels: Record<Section, string> = {
  flagged: 'Stuck',
  failed: 'Retrying',
  skipped: 'Skipped',
  errors: 'Indexing errors',
  heights: 'Unavailable heights',
}

export function AttentionPanel({
  overview,
  summary,
}: {
  readonly overview: Overview
  readonly summary: Summary
}): ReactNode {
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
    <section className="panel" id="attention" aria-labelledby="attention-title">
      <header>
        <h2 id="attention-title">Needs attention</h2>
        <Tabs
          label="Needs attention"
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
            Re-derive…
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

const defaultBlocks = 3

interface DrillDialogProps {
  readonly overview: Overview
  readonly onClose: () => void
}

function DrillDialog({ overview, onClose }: DrillDialogProps): ReactNode {
  const workers = overview.stages.filter((stage) => stage.kind === 'worker')
  const [worker, setWorker] = useState(workers[0]?.name ?? '')
  const [first, setFirst] = useState('')
  const [blocks, setBlocks] = useState(String(defaultBlocks))
  const showToast = useToast()
  const drill = useMutation({
    mutationFn: () => {
      const [from, count] = [Number(first), Number(blocks)]
      return api.setDrill({
        worker,
        reason: 'Started on the operator page.',
        ...(first === '' ? { blocks: count } : { from, to: from + count }),
      })
    },
    onSuccess: () => {
      showToast(`${worker} fails on purpose until you clear the drill.`)
      onClose()
    },
  })
  return (
    <Dialog
      title="Fault drill"
      action="Start"
      isBusy={drill.isPending}
      error={drill.error === null ? undefined : problemText(drill.error)}
      onSubmit={() => drill.mutate()}
      onClose={onClose}
    >
      <p className="soft">
        The worker fails on purpose at these heights. Its ranges become stuck when their retries are used up. To
        recover, clear the drill and requeue the ranges. No data is lost, and other heights are still derived.
      </p>
      <label className="field">
        <span>Worker</span>
        <select className="input" value={worker} onChange={(event) => setWorker(event.target.value)}>
          {workers.map(({ name }) => (
            <option key={name}>{name}</option>
          ))}
        </select>
      </label>
      <div className="field-pair">
        <HeightField name="First height" height={first} placeholder="Next heights" onChange={setFirst} />
        <HeightField name="Number of heights" height={blocks} onChange={setBlocks} />
      </div>
    </Dialog>
  )
}
