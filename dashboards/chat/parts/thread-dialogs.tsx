import { useId, useState } from 'react'
import type { ReactNode } from 'react'
import { Dialog } from '../../kit/dialog.tsx'
import { formatCount } from '../../kit/formats.ts'
import { closeConversation } from '../conversation.ts'
import type { Thread } from '../threads/thread-store.ts'
import { removeAllThreads, removeThread, renameThread } from '../threads/threads.ts'

interface DeleteProps {
  readonly onDeleted: () => void
  readonly onClose: () => void
}

/** Asks before a conversation is gone: it is nowhere else. */
export function DeleteDialog({ thread, onDeleted, onClose }: DeleteProps & { readonly thread: Thread }): ReactNode {
  const remove = async (): Promise<void> => {
    onClose()
    await removeThread(thread.id)
    await closeConversation(thread.id)
    onDeleted()
  }
  return (
    <Dialog title="Delete this chat?" action="Delete it" isDangerous onSubmit={() => void remove()} onClose={onClose}>
      <p className="wrap">{thread.title}</p>
      <p className="soft">It is kept in this browser only, and cannot be brought back.</p>
    </Dialog>
  )
}

export function DeleteAllDialog({
  threads,
  onDeleted,
  onClose,
}: DeleteProps & { readonly threads: readonly Thread[] }): ReactNode {
  const remove = async (): Promise<void> => {
    onClose()
    await removeAllThreads()
    await Promise.all(threads.map(({ id }) => closeConversation(id)))
    onDeleted()
  }
  return (
    <Dialog title="Delete all chats?" action="Delete all" isDangerous onSubmit={() => void remove()} onClose={onClose}>
      <p>{formatCount(threads.length, 'chat')} will be gone.</p>
      <p className="soft">They are kept in this browser only, and cannot be brought back.</p>
    </Dialog>
  )
}

/** Gives a conversation another title. */
export function RenameDialog({
  thread,
  onClose,
}: {
  readonly thread: Thread
  readonly onClose: () => void
}): ReactNode {
  const [title, setTitle] = useState(thread.title)
  const id = useId()
  const rename = async (): Promise<void> => {
    onClose()
    await renameThread(thread.id, title)
  }
  return (
    <Dialog title="Rename this chat" action="Rename" onSubmit={() => void rename()} onClose={onClose}>
      <div className="field">
        <label htmlFor={id}>Title</label>
        <input
          id={id}
          className="input"
          value={title}
          maxLength={200}
          required
          autoFocus
          onFocus={(event) => event.target.select()}
          onChange={(event) => setTitle(event.target.value)}
        />
      </div>
    </Dialog>
  )
}
