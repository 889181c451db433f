import { useState } from 'react'
import type { ReactNode } from 'react'
import { Brand } from '../../kit/brand.tsx'
import { Button } from '../../kit/button.tsx'
import { Icon } from '../../kit/icon.tsx'
import { ThemeToggle } from '../../kit/theme-toggle.tsx'
import { setToken, useToken } from '../../kit/token.ts'
import { useNow } from '../../kit/use-now.ts'
import { useDoings } from '../conversation.ts'
import type { ChatSettings } from '../contract.ts'
import { groupByAge } from '../threads/thread-age.ts'
import type { Thread } from '../threads/thread-store.ts'
import { useThreads } from '../threads/threads.ts'
import { DeleteAllDialog, DeleteDialog } from './thread-dialogs.tsx'

export interface SidebarProps {
  readonly current: string | undefined
  readonly settings: ChatSettings | undefined
  /** Opens a conversation; none begins one. */
  readonly onOpen: (id: string | undefined) => void
}

/** The conversations of this device. */
export function Sidebar({ current, settings, onOpen }: SidebarProps): ReactNode {
  const { list, isLasting, isFull } = useThreads()
  const { running } = useDoings()
  const token = useToken()
  const now = useNow()
  const [deleting, setDeleting] = useState<Thread | 'all'>()
  const deleted = (thread: Thread): void => {
    if (thread.id === current) onOpen(undefined)
  }
  return (
    <>
      <div className="side-head">
        <Brand />
        <ThemeToggle />
      </div>
      <Button onClick={() => onOpen(undefined)}>
        <Icon name="plus" /> New chat
      </Button>
      <nav className="threads" aria-label="Chats">
        {list.length === 0 && <p className="soft side-note">Chats that you begin are listed here.</p>}
        {groupByAge(list, now).map(({ name, threads }) => (
          <section key={name}>
            <h2>{name}</h2>
            <ul>
              {threads.map((thread) => (
                <li key={thread.id} className={thread.id === current ? 'thread current' : 'thread'}>
                  <a
                    href={`#chat=${thread.id}`}
                    aria-current={thread.id === current ? 'page' : undefined}
                    title={thread.title}
                    onClick={(event) => {
                      event.preventDefault()
                      onOpen(thread.id)
                    }}
                  >
                    {running.has(thread.id) && <span className="spinner" role="img" aria-label="being answered" />}
                    <span>{thread.title}</span>
                  </a>
                  <Button
                    look="plain"
                    isSmall
                    isIcon
                    aria-label={`Delete “${thread.title}”`}
                    onClick={() => setDeleting(thread)}
                  >
                    <Icon name="bin" size={14} />
                  </Button>
                </li>
              ))}
            </ul>
          </section>
        ))}
      </nav>
      <div className="side-foot">
        {!isLasting && (
          <p className="side-note warn">This browser keeps nothing: chats are gone when the tab is closed.</p>
        )}
        {isFull && (
          <p className="side-note warn">
            This browser has no more room: the last chat is not kept. Delete some, or export what you need.
          </p>
        )}
        <div className="side-links">
          {settings?.explorer_url !== null && settings !== undefined && <a href={settings.explorer_url}>Explorer</a>}
          {token !== undefined && (
            <button type="button" className="link" onClick={() => setToken(undefined)}>
              Forget token
            </button>
          )}
          {list.length > 1 && (
            <button type="button" className="link" onClick={() => setDeleting('all')}>
              Delete all
            </button>
          )}
        </div>
        <p className="side-note soft">Kept in this browser only.</p>
      </div>
      {deleting === 'all' && (
        <DeleteAllDialog threads={list} onDeleted={() => onOpen(undefined)} onClose={() => setDeleting(undefined)} />
      )}
      {deleting !== undefined && deleting !== 'all' && (
        <DeleteDialog thread={deleting} onDeleted={() => deleted(deleting)} onClose={() => setDeleting(undefined)} />
      )}
    </>
  )
}
