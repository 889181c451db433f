import { useState } from 'react'
import type { ReactNode } from 'react'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { Dialog } from '../kit/dialog.tsx'
import { formatRange } from '../kit/formats.ts'
import { useToast } from '../kit/toast.tsx'
import { api } from './api.ts'
import { problemText } from '../kit/api.ts'
import type { Overview } from './answers.gen.ts'
import type { HeightRange } from './coverage-cells.ts'
import { HeightField } from './parts.tsx'

export interface RederiveDialogProps {
  readonly overview: Overview
  readonly range?: HeightRange
  readonly worker?: string | undefined
  readonly onClose: () => void
}

export function RederiveDialog({ overview, range, worker, onClose }: RederiveDialogProps): ReactNode {
  const [first, setFirst] = useState(String(range?.from ?? ''))
  const [last, setLast] = useState(range === undefined ? '' : String(range.to - 1))
  const [workers, setWorkers] = useState<readonly string[]>(worker === undefined ? [] : [worker])
  const all = overview.stages.filter((stage) => stage.kind === 'worker')
  const queryClient = useQueryClient()
  const showToast = useToast()
  const from = Number(first)
  const to = Number(last) + 1
  const rederive = useMutation({
    mutationFn: () => {
      if (to <= from) throw new Error('The last height must not be below the first height.')
      if (!workers.some((name) => all.some((stage) => stage.name === name)))
        throw new Error('Select at least one worker.')
      return api.rederive({ from, to, workers })
    },
    onSuccess: async ({ workers: affected }) => {
      showToast(`Re-deriving ${formatRange({ from, to })} with ${affected.join(', ')}.`)
      onClose()
      await Promise.all([
        queryClient.invalidateQueries({ queryKey: ['errors'] }),
        queryClient.invalidateQueries({ queryKey: ['leases'] }),
        queryClient.invalidateQueries({ queryKey: ['coverage'] }),
      ])
    },
  })
  const toggle = (name: string): void =>
    setWorkers(workers.includes(name) ? workers.filter((other) => other !== name) : [...workers, name])
  return (
    <Dialog
      title="Re-derive heights"
      action="Re-derive"
      isBusy={rederive.isPending}
      error={rederive.error === null ? undefined : problemText(rederive.error)}
      onSubmit={() => rederive.mutate()}
      onClose={onClose}
    >
      <p className="soft">
        The rows of these heights stay until they are replaced. Downstream workers re-derive the heights too.
      </p>
      <div className="field-pair">
        <HeightField name="First height" height={first} onChange={setFirst} />
        <HeightField name="Last height" height={last} onChange={setLast} />
      </div>
      <fieldset className="field">
        <legend>Workers</legend>
        <div className="choices">
          {all.map(({ name }) => (
            <label key={name}>
              <input type="checkbox" className="check" checked={workers.includes(name)} onChange={() => toggle(name)} />
              {name}
            </label>
          ))}
        </div>
      </fieldset>
    </Dialog>
  )
}
