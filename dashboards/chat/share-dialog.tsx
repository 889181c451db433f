import { useMutation } from '@tanstack/react-query'
import { useId } from 'react'
import type { ReactNode } from 'react'
import { ApiProblem, problemText } from '../kit/api.ts'
import { Button, FieldError } from '../kit/controls.tsx'
import { Modal } from '../kit/dialog.tsx'
import { formatTime } from '../kit/formats.ts'
import { useNow } from '../kit/time.tsx'
import { CopyButton } from '../kit/toast.tsx'
import type { ChatMessage } from './messages.ts'
import { createShare, revokeShare, shareUrl } from './shares.ts'
import { setThreadShare } from './threads.ts'
import type { Thread } from './thread-text.ts'

interface ShareDialogProps {
  readonly thread: Thread
  readonly messages: readonly ChatMessage[]
  readonly days: number
  readonly onClose: () => void
}

export function ShareDialog({ thread, messages, days, onClose }: ShareDialogProps): ReactNode {
  const id = useId()
  const now = useNow()
  const { share } = thread
  const isShared = share !== undefined && share.expiresAt > now
  const creating = useMutation({
    mutationFn: async () => setThreadShare(thread.id, await createShare(thread.title, messages)),
  })
  const revoking = useMutation({
    mutationFn: async () => {
      if (share !== undefined) await revokeShare(share)
      await setThreadShare(thread.id, undefined)
    },
  })
  const { error } = isShared ? revoking : creating
  const isLocked = error instanceof ApiProblem && error.status === 401
  return (
    <Modal title="Share this chat" onClose={onClose}>
      <div className="share-body">
        {isShared ? (
          <>
            <div className="field">
              <label htmlFor={id}>Link</label>
              <div className="share-link">
                <input
                  id={id}
                  className="input"
                  readOnly
                  value={shareUrl(share)}
                  onFocus={(event) => event.target.select()}
                />
                <CopyButton text={shareUrl(share)} what="the link" />
              </div>
            </div>
            <p className="soft">
              Anyone with the link can read this copy of the chat until{' '}
              {formatTime(new Date(share.expiresAt).toISOString())}. To share later messages, revoke the link and create
              another.
            </p>
          </>
        ) : (
          <>
            <p>
              Anyone with the link can read the questions, answers, SQL, tables and charts that are shown now. Later
              messages are not shared.
            </p>
            <p className="soft">
              The server stores the copy for {days} {days === 1 ? 'day' : 'days'}. You can revoke the link in this
              browser.
            </p>
          </>
        )}
        <FieldError>
          {error === null
            ? undefined
            : isLocked
              ? 'Authentication required: ask a question first, and enter the token.'
              : problemText(error)}
        </FieldError>
        <footer>
          {isShared ? (
            <Button look="danger" disabled={revoking.isPending} onClick={() => revoking.mutate()}>
              {revoking.isPending ? 'Revoking…' : 'Revoke link'}
            </Button>
          ) : (
            <Button look="strong" disabled={creating.isPending} onClick={() => creating.mutate()}>
              {creating.isPending ? 'Creating link…' : 'Create link'}
            </Button>
          )}
        </footer>
      </div>
    </Modal>
  )
}
