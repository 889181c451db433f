import { useState } from 'react'
import type { ReactNode } from 'react'
import { useMutation } from '@tanstack/react-query'
import { Dialog } from '../kit/dialog.tsx'
import { useToast } from '../kit/toast.tsx'
import { api, problemText } from './api.ts'
import type { Overview } from './contract.ts'
import { HeightField } from './height-field.tsx'

/** Heights of a drill unless the operator changes it. */
const usualBlocks = 3

export interface DrillDialogProps {
  readonly overview: Overview
  readonly onClose: () => void
}

/**
 * Makes a worker fail on purpose at heights to come. Without a first height the server chooses them when the drill
 * begins.
 */
export function DrillDialog({ overview, onClose }: DrillDialogProps): ReactNode {
  const workers = overview.stages.filter((stage) => stage.kind === 'worker')
  const [worker, setWorker] = useState(workers[0]?.name ?? '')
  const [first, setFirst] = useState('')
  const [blocks, setBlocks] = useState(String(usualBlocks))
  const say = useToast()
  const drill = useMutation({
    mutationFn: () => {
      const [from, count] = [Number(first), Number(blocks)]
      return api.setDrill({
        worker,
        reason: 'Begun on this page.',
        ...(first === '' ? { blocks: count } : { from, to: from + count }),
      })
    },
    onSuccess: () => {
      say(`${worker} fails on purpose until the drill is cleared.`)
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
        <HeightField name="First height" height={first} placeholder="Next heights" onChange={setFirst} />
        <HeightField name="Number of heights" height={blocks} onChange={setBlocks} />
      </div>
    </Dialog>
  )
}
