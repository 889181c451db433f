import { useId, useState } from 'react'
import type { ReactNode } from 'react'
import { useMutation } from '@tanstack/react-query'
import { Dialog } from '../kit/dialog.tsx'
import { api, isTokenWanted, problemText } from './api.ts'
import { queryClient, queryKeys } from './query-client.ts'
import { setToken } from './token.ts'

export interface TokenDialogProps {
  /** After a token that is accepted. */
  readonly onToken?: () => void
  readonly onClose: () => void
}

/** Asks for the token of the service, and keeps it when the service takes it. */
export function TokenDialog({ onToken, onClose }: TokenDialogProps): ReactNode {
  const [text, setText] = useState('')
  const id = useId()
  const entry = useMutation({
    mutationFn: (token: string) => api.tryToken(token),
    onSuccess: (_, token) => {
      setToken(token)
      void queryClient.invalidateQueries({ queryKey: queryKeys.lists })
      onClose()
      onToken?.()
    },
  })
  const error = entry.error === null ? undefined : refusal(entry.error)
  return (
    <Dialog
      title="This service wants a token" action="Use it" isBusy={entry.isPending} error={error} onClose={onClose}
      onSubmit={() => entry.mutate(text.trim())}
    >
      <p className="soft">It is the value of API_TOKEN, and is kept in this tab only.</p>
      <div className="field">
        <label htmlFor={id}>Token</label>
        <input
          id={id} className="input" type="password" autoComplete="off" spellCheck={false} autoFocus required
          value={text} aria-invalid={error !== undefined} onChange={(event) => setText(event.target.value)}
        />
      </div>
    </Dialog>
  )
}

function refusal(error: Error): string {
  return isTokenWanted(error) ? 'This token is not accepted.' : problemText(error)
}
