import { useCallback, useEffect, useMemo, useState } from 'react'
import type { ReactNode } from 'react'
import { Button } from '../kit/button.tsx'
import { Icon } from '../kit/icon.tsx'
import { useToast } from '../kit/toast.tsx'
import { ConversationView } from './conversation-view.tsx'
import { keepAll, newConversation, openConversation, readAgain } from './conversation.ts'
import type { Conversation } from './conversation.ts'
import { placesOf, PlacesContext } from './markdown/places.ts'
import { Drawer } from './parts/drawer.tsx'
import { Sidebar } from './parts/sidebar.tsx'
import { ThreadHeader } from './parts/thread-header.tsx'
import { useSettings } from './settings.ts'
import { onChangeElsewhere, useThreads } from './threads/threads.ts'

/** The page: the conversations of this device, and one of them. Which one is in its address. */
export function App(): ReactNode {
  const { data: settings, error } = useSettings()
  const { list } = useThreads()
  const [conversation, setConversation] = useState<Conversation>()
  const [hasDrawer, setHasDrawer] = useState(false)
  const say = useToast()
  const places = useMemo(() => placesOf(settings, location.origin), [settings])

  const load = useCallback((): void => {
    const opening = openAddressed(() => say('This chat is not kept in this browser.', 'bad'))
    const { hash } = location
    void opening.then((opened) => {
      // Somebody who clicks quickly is elsewhere by now.
      if (location.hash === hash || location.hash === '') setConversation(opened)
    })
  }, [say])
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

/** The conversation that the address names, or a new one. @param onMissing where the browser does not have the one that it names */
async function openAddressed(onMissing: () => void): Promise<Conversation> {
  const id = /^#chat=([\w-]{1,64})$/.exec(location.hash)?.[1]
  const found = id === undefined ? undefined : await openConversation(id)
  if (id !== undefined && found === undefined) {
    history.replaceState(null, '', location.pathname)
    onMissing()
  }
  return found ?? newConversation()
}
