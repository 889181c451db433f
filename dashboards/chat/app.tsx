import { useChat } from '@ai-sdk/react'
import { useCallback, useEffect, useMemo, useState, useRef } from 'react'
import type { ReactNode } from 'react'
import { Button, Icon } from '../kit/controls.tsx'
import { download } from '../kit/browser.ts'
import { useToast } from '../kit/toast.tsx'
import { ConversationView } from './conversation-view.tsx'
import { saveAll, newConversation, openConversation, reloadConversation } from './conversation.ts'
import type { Conversation } from './conversation.ts'
import { linkPolicyOf, LinkPolicyContext, useSettings } from './settings.ts'
import { ShareDialog } from './share-dialog.tsx'
import { Sidebar, DeleteDialog, RenameDialog } from './sidebar.tsx'
import type { Thread } from './thread-text.ts'
import { threadMarkdown } from './thread-text.ts'
import { onRemoteChange, useThreads } from './threads.ts'

export function App(): ReactNode {
  const { data: settings, error } = useSettings()
  const { list } = useThreads()
  const [conversation, setConversation] = useState<Conversation>()
  const [hasDrawer, setHasDrawer] = useState(false)
  const showToast = useToast()
  const linkPolicy = useMemo(() => linkPolicyOf(settings, location.origin), [settings])

  const load = useCallback((): void => {
    const opening = openAddressed(() => showToast('This chat was not found in this browser.', 'bad'))
    const { hash } = location
    void opening.then((opened) => {
      // The user may have opened another conversation in the meantime.
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
      if (document.visibilityState === 'hidden') saveAll()
    }
    addEventListener('popstate', load)
    document.addEventListener('visibilitychange', leave)
    const unlisten = onRemoteChange((id) => void reloadConversation(id))
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
    <LinkPolicyContext value={linkPolicy}>
      <a className="skip-link" href="#composer">
        Skip to question
      </a>
      <aside className="sidebar wide-only" aria-label="Chats in this browser">
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
        <Drawer label="Chats in this browser" look="drawer" onClose={() => setHasDrawer(false)}>
          <div className="sidebar">
            <Button look="plain" isIcon aria-label="Close" onClick={() => setHasDrawer(false)}>
              <Icon name="cross" />
            </Button>
            {sidebar}
          </div>
        </Drawer>
      )}
    </LinkPolicyContext>
  )
}

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
  readonly thread: Thread | undefined
  readonly onMenu: () => void
  readonly onNew: () => void
}

function ThreadHeader({ conversation: { chat }, thread, onMenu, onNew }: ThreadHeaderProps): ReactNode {
  const [open, setOpen] = useState<'rename' | 'share' | 'delete' | 'actions'>()
  const close = (): void => setOpen(undefined)
  const { messages } = useChat({ chat })
  const days = useSettings().data?.share_days ?? 0
  const hasAnswer = messages.some(({ role }) => role === 'assistant')
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
              download('flowfarm-chat.md', 'text/markdown;charset=utf-8', threadMarkdown(thread.title, messages))
            },
          },
          ...(days > 0 && hasAnswer
            ? [{ icon: 'link', name: 'Share', label: 'Share this chat', act: () => setOpen('share') } as const]
            : []),
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
            aria-label="More actions"
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
        <Drawer
          label="Chat actions"
          look="sheet"
          onClose={() => setOpen((now) => (now === 'actions' ? undefined : now))}
        >
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
      {thread !== undefined && open === 'share' && <ShareDialog {...{ thread, messages, days }} onClose={close} />}
      {thread !== undefined && open === 'delete' && <DeleteDialog thread={thread} onDeleted={onNew} onClose={close} />}
    </header>
  )
}

interface DrawerProps {
  readonly label: string
  readonly look: 'drawer' | 'sheet'
  readonly onClose: () => void
  readonly children: ReactNode
}

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
        // `close` events of dialogs inside it bubble up.
        if (event.target === dialog.current) onClose()
      }}
    >
      {children}
    </dialog>
  )
}
