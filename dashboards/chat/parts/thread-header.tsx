import { useState } from 'react'
import type { ReactNode } from 'react'
import { Button } from '../../kit/button.tsx'
import { download } from '../../kit/download.ts'
import { Icon } from '../../kit/icon.tsx'
import type { Conversation } from '../conversation.ts'
import type { Thread } from '../threads/thread-store.ts'
import { threadMarkdown } from '../threads/thread-text.ts'
import { Drawer } from './drawer.tsx'
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
  const [open, setOpen] = useState<'rename' | 'delete' | 'actions'>()
  const close = (): void => setOpen(undefined)
  const actions =
    thread === undefined
      ? []
      : ([
          { icon: 'pencil', name: 'Rename', label: 'Rename this chat', act: () => setOpen('rename') },
          {
            icon: 'save',
            name: 'Export as Markdown',
            label: 'Export this chat as Markdown',
            act: () => {
              close()
              download('flowfarm-chat.md', 'text/markdown;charset=utf-8', threadMarkdown(thread.title, chat.messages))
            },
          },
          { icon: 'bin', name: 'Delete', label: 'Delete this chat', act: () => setOpen('delete') },
        ] as const)
  return (
    <header className="thread-head">
      <span className="narrow-only">
        <Button look="plain" isIcon aria-label="Chats" aria-haspopup="dialog" onClick={onMenu}>
          <Icon name="menu" />
        </Button>
      </span>
      {thread === undefined ? <span className="thread-title" /> : <h1 className="thread-title">{thread.title}</h1>}
      {actions.map(({ icon, name, label, act }) => (
        <span key={icon} className="wide-only">
          <Button look="plain" isIcon aria-label={label} title={name} onClick={act}>
            <Icon name={icon} />
          </Button>
        </span>
      ))}
      <span className="narrow-only">
        {thread !== undefined && (
          <Button
            look="plain"
            isIcon
            aria-label="More of this chat"
            aria-haspopup="dialog"
            onClick={() => setOpen('actions')}
          >
            <Icon name="more" />
          </Button>
        )}
        <Button look="plain" isIcon aria-label="New chat" onClick={onNew}>
          <Icon name="plus" />
        </Button>
      </span>
      {open === 'actions' && (
        <Drawer label="This chat" look="sheet" onClose={() => setOpen((now) => (now === 'actions' ? undefined : now))}>
          <div className="sheet-actions">
            {actions.map(({ icon, name, act }) => (
              <Button key={icon} look="plain" onClick={act}>
                <Icon name={icon} /> {name}
              </Button>
            ))}
          </div>
        </Drawer>
      )}
      {thread !== undefined && open === 'rename' && <RenameDialog thread={thread} onClose={close} />}
      {thread !== undefined && open === 'delete' && <DeleteDialog thread={thread} onDeleted={onNew} onClose={close} />}
    </header>
  )
}
