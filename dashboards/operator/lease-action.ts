import { useMutation, useQueryClient } from '@tanstack/react-query'
import type { UseMutationResult } from '@tanstack/react-query'
import { formatCount } from '../kit/formats.ts'
import { useToast } from '../kit/toast.tsx'
import { api } from './api.ts'
import type { LeaseTarget } from './contract.ts'

export type LeaseActionKind = 'requeue' | 'split' | 'skip'

/** Something to be done with leases. */
export interface LeaseAction {
  readonly kind: LeaseActionKind
  readonly target: LeaseTarget
  /** How many ranges it is for. */
  readonly count: number
  /** Which, in words: `token_worker 100 – 199`. */
  readonly label: string
}

export interface ConfirmedAction extends LeaseAction {
  /** Into how many each is split. */
  readonly pieces: number
  /** Why they are skipped. */
  readonly reason: string
}

const done: Record<LeaseActionKind, string> = { requeue: 'queued again', split: 'split', skip: 'skipped' }

/** Does it, says what came of it, and has the lists read again. */
export function useLeaseAction(onDone: () => void): UseMutationResult<{ changed: number }, Error, ConfirmedAction> {
  const queryClient = useQueryClient()
  const say = useToast()
  return useMutation({
    mutationFn: ({ kind, target, pieces, reason }: ConfirmedAction) => {
      if (kind === 'requeue') return api.requeue(target)
      return kind === 'split' ? api.split(target, pieces) : api.skip(target, reason)
    },
    onSuccess: async ({ changed }, { kind }) => {
      say(
        changed === 0
          ? 'Nothing was changed: the ranges have moved on meanwhile.'
          : `${formatCount(changed, 'range')} ${done[kind]}.`,
      )
      onDone()
      await Promise.all([
        queryClient.invalidateQueries({ queryKey: ['leases'] }),
        queryClient.invalidateQueries({ queryKey: ['coverage'] }),
      ])
    },
  })
}
