import { useCallback, useEffect, useMemo, useState, useRef } from 'react'
import type { ReactNode } from 'react'
import { Button, Icon } from '../kit/controls.tsx'
import { download } from '../kit/browser.ts'
import { useToast } from '../kit/toast.tsx'
import { ConversationView } from './conversation-view.tsx'
import { keepAll, newConversation, openConversation, readAgain } from './conversation.ts'
import type { Conversation } from './conversation.ts'
import { placesOf, PlacesContext, useSettings } from './settings.ts'
import { Sidebar, DeleteDialog, RenameDialog } from './sidebar.tsx'
import type { Thread } from './thread-text.ts'
import { threadMarkdown } from './thread-text.ts'
import { onChangeElsewhere, useThreads } from './threads.ts'

/** The page: the conversations of this device, and one of them. Which one is in its address. */
export function App(): ReactNode {
  const { data: settings, error } = useSettings()
  const { list } = useThreads()
  const [conversation, setConversation] = useState<Conversation>()
  const [hasDrawer, setHasDrawer] = useState(false)
  const showToast = useToast()
  const places = useMemo(() => placesOf(settings, location.origin), [settings])

  const load = useCallback((): void => {
    const opening = openAddressed(() => showToast('This chat is not kept in this browser.', 'bad'))
    const { hash } = location
    void opening.then((opened) => {
      // Somebody who clicks quickly is elsewhere by now.
      if (location.hash === hash || location.hash === '') setConversation(opened)
    })
  }, [showToast])
  const show = (id: string | undefined): void => {
    setHasDrawer(false)
    const address = id === undefined ? location.pathname : `#chat=${id}`
    if (address !== location.hash) history.pushState(null, '', address)
    load()
  }
  useEffect(() => {
    load()
    const leave = (): void => {
      if (document.visibilityState === 'hidden') keepAll()
    }
    addEventListener('popstate', load)
    document.addEventListener('visibilitychange', leave)
    const unlisten = onChangeElsewhere((id) => void readAgain(id))
    return () => {
      removeEventListener('popstate', load)
      document.removeEventListener('visibilitychange', leave)
      unlisten()
    }
  }, [load])

  const thread = list.find(({ id }) => id === conversation?.id)
  useEffect(() => {
    document.title = thread === undefined ? 'flowfarm: chat' : `${thread.title} – flowfarm`
  }, [thread])
  const sidebar = <Sidebar current={conversation?.id} settings={settings} onOpen={show} />
  return (
    <PlacesContext value={places}>
      <a className="skip-link" href="#composer">
        Skip to the question
      </a>
      <aside className="sidebar wide-only" aria-label="Chats of this browser">
        {sidebar}
      </aside>
      <main className="main">
        {conversation !== undefined && (
          <>
            <ThreadHeader
              conversation={conversation}
              thread={thread}
              onMenu={() => setHasDrawer(true)}
              onNew={() => show(undefined)}
            />
            <ConversationView
              key={conversation.id}
              conversation={conversation}
              settings={settings}
              settingsError={settings === undefined ? error : null}
              onBegin={() => history.replaceState(null, '', `#chat=${conversation.id}`)}
            />
          </>
        )}
      </main>
      {hasDrawer && (
        <Drawer label="Chats of this browser" look="drawer" onClose={() => setHasDrawer(false)}>
          <div className="sidebar">
            <Button look="plain" isIcon aria-label="Close" onClick={() => setHasDrawer(false)}>
              <Icon name="cross" />
            </Button>
            {sidebar}
          </div>
        </Drawer>
      )}
    </PlacesContext>
  )
}

/** The conversation in the address, or a new one. @param onMissing if this browser does not have it */
async function openAddressed(onMissing: () => void): Promise<Conversation> {
  const id = /^#chat=([\w-]{1,64})$/.exec(location.hash)?.[1]
  const found = id === undefined ? undefined : await openConversation(id)
  if (id !== undefined && found === undefined) {
    history.replaceState(null, '', location.pathname)
    onMissing()
  }
  return found ?? newConversation()
}

interface ThreadHeaderProps {
  readonly conversation: Conversation
  /** As it is kept; none before anything was asked. */
  readonly thread: Thread | undefined
  readonly onMenu: () => void
  /** Opens a conversation in which nothing was said. */
  readonly onNew: () => void
}

/** The title of the conversation, and what can be done with all of it. */
function ThreadHeader({ conversation: { chat }, thread, onMenu, onNew }: ThreadHeaderProps): ReactNode {
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
          { icon: 'trash', name: 'Delete', label: 'Delete this chat', act: () => setOpen('delete') },
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

interface DrawerProps {
  readonly label: string
  /** From the left, or from below. */
  readonly look: 'drawer' | 'sheet'
  readonly onClose: () => void
  readonly children: ReactNode
}

/** What is beside the page where it is wide: over it where it is narrow. Escape and a click beside it close it. */
function Drawer({ label, look, onClose, children }: DrawerProps): ReactNode {
  const dialog = useRef<HTMLDialogElement>(null)
  useEffect(() => {
    const element = dialog.current
    if (element === null || element.open) return
    const cameFrom = document.activeElement
    element.showModal()
    const click = (event: MouseEvent): void => {
      if (event.target === element) element.close()
    }
    element.addEventListener('click', click)
    return () => {
      element.removeEventListener('click', click)
      if (cameFrom instanceof HTMLElement && cameFrom.isConnected) cameFrom.focus()
    }
  }, [])
  return (
    <dialog
      ref={dialog}
      className={look}
      aria-label={label}
      onClose={(event) => {
        // Dialogs within it tell of their own end too.
        if (event.target === dialog.current) onClose()
      }}
    >
      {children}
    </dialog>
  )
}
