import { useQuery } from '@tanstack/react-query'
import { generateId } from 'ai'
import { Suspense, useEffect, useMemo, useState } from 'react'
import type { ReactNode } from 'react'
import { ApiProblem, problemText } from '../kit/api.ts'
import { Brand, Button } from '../kit/controls.tsx'
import { formatTime } from '../kit/formats.ts'
import { lazyPart } from '../kit/lazy-part.ts'
import { escapeInvisible } from '../kit/result-table.ts'
import { ThemeToggle } from '../kit/theme.tsx'
import type { ChatMessage } from './messages.ts'
import { linkPolicyOf, LinkPolicyContext, useSettings } from './settings.ts'
import { readShare } from './shares.ts'
import type { SharedChat } from './shares.ts'
import { answerText } from './thread-text.ts'
import { saveThread } from './threads.ts'

const Answer = lazyPart(async () => (await import('./answer/answer.tsx')).Answer, { name: 'Answer' })

interface SharedPageProps {
  readonly token: string
  /** Opens an address of the chat. */
  readonly onOpen: (address: string) => void
}

/** A snapshot that another user shared. All of it is untrusted. */
export function SharedPage({ token, onOpen }: SharedPageProps): ReactNode {
  const { data: settings } = useSettings()
  const linkPolicy = useMemo(() => linkPolicyOf(settings, location.origin), [settings])
  const shared = useQuery({
    queryKey: ['share', token],
    queryFn: ({ signal }) => readShare(token, signal),
    retry: false,
    refetchOnWindowFocus: false,
    staleTime: Infinity,
  })
  const [isCopying, setIsCopying] = useState(false)
  const { data, error } = shared
  const title = data === undefined ? 'Shared chat' : escapeInvisible(data.title)
  useEffect(() => {
    document.title = data === undefined ? 'flowfarm: chat' : `${title} – flowfarm`
  }, [data, title])
  const copy = async (chat: SharedChat): Promise<void> => {
    setIsCopying(true)
    const id = generateId()
    // Ids are made up by the server, and would be the same in two copies.
    const messages = messagesOf(chat).map((message) => ({ ...message, id: generateId() }))
    await saveThread(id, { messages, branches: [] }, chat.title)
    onOpen(`/#chat=${id}`)
  }
  return (
    <LinkPolicyContext value={linkPolicy}>
      <main className="main shared">
        <header className="thread-head">
          <a className="shared-home" href="/" aria-label="flowfarm chat">
            <Brand />
          </a>
          <h1 className="thread-title">{title}</h1>
          <ThemeToggle />
        </header>
        <div className="scroller" tabIndex={0} role="region" aria-label="Shared chat">
          <div className="turns">
            {data !== undefined ? (
              <>
                <p className="soft shared-note">
                  A user shared this chat on {formatTime(data.created_at)}. Answers may be wrong, and data may have
                  changed since.
                </p>
                <Suspense fallback={<p className="soft">Loading answers…</p>}>
                  {messagesOf(data).map((message) =>
                    message.role === 'user' ? (
                      <section key={message.id} className="turn question" aria-label="Question">
                        <p>{escapeInvisible(answerText(message))}</p>
                      </section>
                    ) : (
                      <section key={message.id} className="turn answer" aria-label="Answer">
                        <Answer message={message} isLive={false} notices={[]} />
                      </section>
                    ),
                  )}
                </Suspense>
              </>
            ) : error === null ? (
              <p className="soft" role="status">
                Loading the shared chat…
              </p>
            ) : (
              <div className="problem" role="alert">
                <div>
                  <p className="title">
                    {isGone(error) ? 'This chat is not shared' : 'Could not load the shared chat'}
                  </p>
                  <p>{problemText(error)}</p>
                </div>
                {!isGone(error) && <Button onClick={() => void shared.refetch()}>Retry</Button>}
              </div>
            )}
          </div>
        </div>
        <div className="shared-actions">
          {data !== undefined && (
            <Button look="strong" disabled={isCopying} onClick={() => void copy(data)}>
              Continue in my own chat
            </Button>
          )}
          <a className="button" href="/">
            New chat
          </a>
        </div>
      </main>
    </LinkPolicyContext>
  )
}

function isGone(error: Error): boolean {
  return error instanceof ApiProblem && error.status === 404
}

/** The service validates the parts of a snapshot. */
function messagesOf({ messages }: SharedChat): readonly ChatMessage[] {
  return messages as unknown as readonly ChatMessage[]
}
