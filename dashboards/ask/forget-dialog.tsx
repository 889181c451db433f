import type { ReactNode } from 'react'
import { useMutation } from '@tanstack/react-query'
import { Dialog } from '../kit/dialog.tsx'
import { api, problemText } from './api.ts'
import { shownText } from '../kit/cell-text.ts'
import type { Pair } from './contract.ts'
import { queryClient, queryKeys } from './query-client.ts'

/** Asks before an example is gone: it is gone for all, and from disk. */
export function ForgetDialog({ pair, onClose }: { readonly pair: Pair; readonly onClose: () => void }): ReactNode {
  const forgetting = useMutation({
    mutationFn: () => api.forget(pair.id),
    onSuccess: () => {
      onClose()
      void queryClient.invalidateQueries({ queryKey: queryKeys.kept })
    },
  })
  return (
    <Dialog
      title="Forget this example?"
      action="Forget it"
      isDangerous
      isBusy={forgetting.isPending}
      error={forgetting.error === null ? undefined : problemText(forgetting.error)}
      onSubmit={() => forgetting.mutate()}
      onClose={onClose}
    >
      <p className="wrap">{shownText(pair.question)}</p>
      <p className="soft">The model is not shown it any more. It is deleted for all who use this service.</p>
    </Dialog>
  )
}
