import { useMutation } from '@tanstack/react-query'
import { useEffect, useState, useId } from 'react'
import type { ReactNode } from 'react'
import { ApplicationMenu } from '../kit/applications.tsx'
import { Brand, Button, Icon } from '../kit/controls.tsx'
import { ThemeToggle } from '../kit/theme.tsx'
import { setToken, useToken } from '../kit/token.ts'
import { useNow } from '../kit/time.tsx'
import { problemText } from '../kit/api.ts'
import { useActivity, closeConversation } from './conversation.ts'
import type { ChatSettings } from './answers.gen.ts'
import { removeRatings, revokeShare } from './shares.ts'
import type { ThreadShare } from './shares.ts'
import { useThreads, removeAllThreads, removeThread, renameThread, searchThreads } from './threads.ts'
import type { FoundThread } from './threads.ts'
import { groupByAge } from './thread-text.ts'
import type { Thread } from './thread-text.ts'
import { Dialog } from '../kit/dialog.tsx'
import { formatCount } from '../kit/formats.ts'

interface SidebarProps {
  readonly current: string | undefined
  readonly settings: ChatSettings | undefined
  /** Undefined opens a new conversation. */
  readonly onOpen: (id: string | undefined) => void
}

export function Sidebar({ current, settings, onOpen }: SidebarProps): ReactNode {
  const { list, isPersistent, isFull } = useThreads()
  const { running } = useActivity()
  const token = useToken()
  const now = useNow()
  const [deleting, setDeleting] = useState<Thread | 'all'>()
  const [words, setWords] = useState('')
  const found = useSearch(words, list)
  const searchId = useId()
  const deleted = (thread: Thread): void => {
    if (thread.id === current) onOpen(undefined)
  }
  return (
    <>
      <div className="side-head">
        <Brand />
        <ApplicationMenu current="chat" />
        <ThemeToggle />
      </div>
      <Button onClick={() => onOpen(undefined)}>
        <Icon name="plus" /> New chat
      </Button>
      {list.length > 0 && (
        <div className="side-search">
          <label htmlFor={searchId} className="visually-hidden">
            Search chats
          </label>
          <input
            id={searchId}
            className="input"
            type="search"
            placeholder="Search chats"
            maxLength={200}
            value={words}
            onChange={(event) => setWords(event.target.value)}
          />
        </div>
      )}
      <nav className="threads" aria-label="Chats">
        {list.length === 0 && <p className="soft side-note">Your chats appear here.</p>}
        {found !== undefined && <FoundThreads found={found} current={current} onOpen={onOpen} />}
        {(found === undefined ? groupByAge(list, now) : []).map(({ name, threads }) => (
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
                    {running.has(thread.id) && (
                      <span className="spinner" role="img" aria-label="Generating an answer" />
                    )}
                    <span>{thread.title}</span>
                  </a>
                  <Button
                    look="plain"
                    isSmall
                    isIcon
                    aria-label={`Delete “${thread.title}”`}
                    onClick={() => setDeleting(thread)}
                  >
                    <Icon name="trash" size={14} />
                  </Button>
                </li>
              ))}
            </ul>
          </section>
        ))}
      </nav>
      <div className="side-foot">
        {!isPersistent && (
          <p className="side-note warn">
            This browser does not allow storage: chats are deleted when you close the tab.
          </p>
        )}
        {isFull && (
          <p className="side-note warn">
            Browser storage is full: the last chat was not saved. Export chats that you need, then delete some.
          </p>
        )}
        <div className="side-links">
          {settings?.explorer_url !== null && settings !== undefined && <a href={settings.explorer_url}>Explorer</a>}
          {token !== undefined && (
            <button type="button" className="link" onClick={() => setToken(undefined)}>
              Remove token
            </button>
          )}
          {list.length > 1 && (
            <button type="button" className="link" onClick={() => setDeleting('all')}>
              Delete all
            </button>
          )}
        </div>
        <p className="side-note soft">Chats are stored in this browser only, unless you share or rate them.</p>
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

/** Undefined without words. */
function useSearch(words: string, list: readonly Thread[]): readonly FoundThread[] | undefined {
  const [found, setFound] = useState<readonly FoundThread[]>()
  const isSearching = words.trim() !== ''
  useEffect(() => {
    if (!isSearching) return
    let isCurrent = true
    void searchThreads(words, list).then((threads) => {
      if (isCurrent) setFound(threads)
    })
    return () => {
      isCurrent = false
    }
  }, [words, isSearching, list])
  return isSearching ? found : undefined
}

interface FoundThreadsProps {
  readonly found: readonly FoundThread[]
  readonly current: string | undefined
  readonly onOpen: (id: string) => void
}

function FoundThreads({ found, current, onOpen }: FoundThreadsProps): ReactNode {
  return (
    <>
      <p className="soft side-note" role="status">
        {found.length === 0 ? 'No chat contains all of these words.' : `${formatCount(found.length, 'chat')} found`}
      </p>
      <ul>
        {found.map(({ thread, excerpt }) => (
          <li key={thread.id} className={thread.id === current ? 'thread found current' : 'thread found'}>
            <a
              href={`#chat=${thread.id}`}
              aria-current={thread.id === current ? 'page' : undefined}
              onClick={(event) => {
                event.preventDefault()
                onOpen(thread.id)
              }}
            >
              <span>{thread.title}</span>
              {excerpt !== undefined && (
                <span className="excerpt">
                  {excerpt[0]}
                  <mark>{excerpt[1]}</mark>
                  {excerpt[2]}
                </span>
              )}
            </a>
          </li>
        ))}
      </ul>
    </>
  )
}

interface DeleteProps {
  readonly onDeleted: () => void
  readonly onClose: () => void
}

export function DeleteDialog({ thread, onDeleted, onClose }: DeleteProps & { readonly thread: Thread }): ReactNode {
  const isShared = sharesOf([thread]).length > 0
  return (
    <RemoveDialog title="Delete this chat?" action="Delete" threads={[thread]} onDeleted={onDeleted} onClose={onClose}>
      <p className="wrap">{thread.title}</p>
      <p className="soft">
        {isShared || thread.feedback !== undefined
          ? 'Its shared link and ratings are deleted too. This cannot be undone.'
          : 'The chat is stored in this browser only. This cannot be undone.'}
      </p>
    </RemoveDialog>
  )
}

function DeleteAllDialog({
  threads,
  onDeleted,
  onClose,
}: DeleteProps & { readonly threads: readonly Thread[] }): ReactNode {
  const links = sharesOf(threads).length
  return (
    <RemoveDialog title="Delete all chats?" action="Delete all" {...{ threads, onDeleted, onClose }}>
      <p>
        {formatCount(threads.length, 'chat')} will be deleted
        {links > 0 && `, and ${formatCount(links, 'shared link')} will stop working`}.
      </p>
      <p className="soft">Chats are stored in this browser only. This cannot be undone.</p>
    </RemoveDialog>
  )
}

function sharesOf(threads: readonly Thread[]): readonly ThreadShare[] {
  return threads.flatMap(({ share }) => (share !== undefined && share.expiresAt > Date.now() ? [share] : []))
}

interface RemoveDialogProps extends DeleteProps {
  readonly title: string
  readonly action: 'Delete' | 'Delete all'
  readonly threads: readonly Thread[]
  readonly children: ReactNode
}

/** Only this browser can delete its links and ratings, so a chat stays until they are deleted. */
function RemoveDialog({ title, action, threads, onDeleted, onClose, children }: RemoveDialogProps): ReactNode {
  const removing = useMutation({
    mutationFn: async () => {
      for (const share of sharesOf(threads)) await revokeShare(share)
      await removeRatings(threads.flatMap(({ feedback }) => feedback ?? []))
      await (action === 'Delete all' ? removeAllThreads() : Promise.all(threads.map(({ id }) => removeThread(id))))
      await Promise.all(threads.map(({ id }) => closeConversation(id)))
    },
    onSuccess: () => {
      onClose()
      onDeleted()
    },
  })
  return (
    <Dialog
      title={title}
      action={action}
      isDangerous
      isBusy={removing.isPending}
      error={
        removing.error === null
          ? undefined
          : `Could not delete the shared link or ratings: ${problemText(removing.error)}`
      }
      onSubmit={() => removing.mutate()}
      onClose={onClose}
    >
      {children}
    </Dialog>
  )
}

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
