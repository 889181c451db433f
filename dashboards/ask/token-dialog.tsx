import type { ReactNode } from 'react'
import { TokenDialog as Dialog } from '../kit/token-dialog.tsx'
import { api, isTokenWanted, problemText } from './api.ts'
import { queryClient, queryKeys } from './query-client.ts'

export interface TokenDialogProps {
  /** After a token that is accepted. */
  readonly onToken?: () => void
  readonly onClose: () => void
}

/** Asks for the token of the query service; under another one, its lists are others. */
export function TokenDialog({ onToken, onClose }: TokenDialogProps): ReactNode {
  const take = (): void => {
    void queryClient.invalidateQueries({ queryKey: queryKeys.lists })
    onToken?.()
  }
  return (
    <Dialog
      tryToken={(token) => api.tryToken(token)}
      onToken={take}
      onClose={onClose}
      refusal={(error) => (isTokenWanted(error) ? 'This token is not accepted.' : problemText(error))}
    />
  )
}
