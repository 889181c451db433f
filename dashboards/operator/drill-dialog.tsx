import { useState } from 'react'
import type { ReactNode } from 'react'
import { useMutation } from '@tanstack/react-query'
import { Dialog } from '../kit/dialog.tsx'
import { formatRange } from '../kit/formats.ts'
import { useToast } from '../kit/toast.tsx'
import { api, problemText } from './api.ts'
import type { Overview } from './contract.ts'
import { HeightField } from './height-field.tsx'

/** So far above the head a drill begins: the heights are to come while one looks on. */
const lead = 10
const length = 3

export interface DrillDialogProps {
  readonly overview: Overview
  readonly onClose: () => void
}

/** Makes a worker fail on purpose at heights to come, to see what happens then. */
export function DrillDialog({ overview, onClose }: DrillDialogProps): ReactNode {
  const workers = overview.stages.filter((stage) => stage.kind === 'worker')
  const begin = (overview.head ?? 0) + lead
  const [worker, setWorker] = useState(workers[0]?.name ?? '')
  const [first, setFirst] = useState(String(begin))
  const [last, setLast] = useState(String(begin + length - 1))
  const say = useToast()
  const range = { from: Number(first), to: Number(last) + 1 }
  const drill = useMutation({
    mutationFn: () => {
      if (range.to <= range.from) throw new Error('The last height is below the first.')
      return api.setDrill({ worker, ...range, reason: 'Begun on this page.' })
    },
    onSuccess: () => {
      say(`${worker} fails at ${formatRange(range)} until the drill is cleared.`)
      onClose()
    },
  })
  return (
    <Dialog
      title="Fault drill"
      action="Begin"
      isBusy={drill.isPending}
      error={drill.error === null ? undefined : problemText(drill.error)}
      onSubmit={() => drill.mutate()}
      onClose={onClose}
    >
      <p className="soft">
        A worker fails on purpose at these heights. Once it has used up its retries the ranges are stuck, and wait here
        for a person: clear the drill and requeue them. Nothing is lost; other heights go on.
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
        <HeightField name="First height" height={first} onChange={setFirst} />
        <HeightField name="Last height" height={last} onChange={setLast} />
      </div>
    </Dialog>
  )
}
