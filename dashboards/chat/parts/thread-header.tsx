import { useState } from 'react'
import type { ReactNode } from 'react'
import { Button } from '../../kit/button.tsx'
import { download } from '../../kit/download.ts'
import { Icon } from '../../kit/icon.tsx'
import type { Conversation } from '../conversation.ts'
import type { Thread } from '../threads/thread-store.ts'
import { threadMarkdown } from '../threads/thread-text.ts'
import { DeleteDialog, RenameDialog } from './thread-dialogs.tsx'

export interface ThreadHeaderProps {
  readonly conversation: Conversation
  /** As it is kept; none before anything was asked. */
  readonly thread: Thread | undefined
  readonly onMenu: () => void
  /** Opens a conversation in which nothing was said. */
  readonly onNew: () => void
}

/** The title of the conversation, and what can be done with all of it. */
export function ThreadHeader({ conversation: { chat }, thread, onMenu, onNew }: ThreadHeaderProps): ReactNode {
  const [dialog, setDialog] = useState<'rename' | 'delete'>()
  const close = (): void => setDialog(undefined)
  return (
    <header className="thread-head">
      <span className="narrow-only">
        <Button look="plain" isIcon aria-label="Chats" aria-haspopup="dialog" onClick={onMenu}>
          <Icon name="menu" />
        </Button>
      </span>
      {thread === undefined ? <span className="thread-title" /> : <h1 className="thread-title">{thread.title}</h1>}
      {thread !== undefined && (
        <>
          <Button look="plain" isIcon aria-label="Rename this chat" title="Rename" onClick={() => setDialog('rename')}>
            <Icon name="pencil" />
          </Button>
          <Button
            look="plain" isIcon aria-label="Export this chat as Markdown" title="Export as Markdown"
            onClick={() => download('flowfarm-chat.md', 'text/markdown;charset=utf-8', threadMarkdown(thread.title, chat.messages))}
          >
            <Icon name="save" />
          </Button>
          <Button look="plain" isIcon aria-label="Delete this chat" title="Delete" onClick={() => setDialog('delete')}>
            <Icon name="bin" />
          </Button>
        </>
      )}
      <span className="narrow-only">
        <Button look="plain" isIcon aria-label="New chat" onClick={onNew}>
          <Icon name="plus" />
        </Button>
      </span>
      {thread !== undefined && dialog === 'rename' && <RenameDialog thread={thread} onClose={close} />}
      {thread !== undefined && dialog === 'delete' && <DeleteDialog thread={thread} onDeleted={onNew} onClose={close} />}
    </header>
  )
}
