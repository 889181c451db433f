import type { Answers, Requests } from './answers.gen.ts'
import { ApiProblem } from '../kit/api.ts'
import type { ChatMessage } from './messages.ts'
import { bearer, callChat } from './settings.ts'

/** The link of a chat, known to this browser only. */
export interface ThreadShare {
  readonly token: string
  readonly revokeKey: string
  /** ms */
  readonly expiresAt: number
}

export type SharedChat = Answers['/api/chat/shares/{token}']

export function sharedToken(pathname: string): string | undefined {
  return /^\/share\/([\w-]{22})$/.exec(pathname)?.[1]
}

export function shareUrl({ token }: ThreadShare): string {
  return new URL(`/share/${token}`, location.origin).href
}

/** @throws ApiProblem */
export async function readShare(token: string, signal: AbortSignal): Promise<SharedChat> {
  const response = await callChat(`/api/chat/shares/${token}`, { signal })
  return (await response.json()) as SharedChat
}

/** Reasoning and other parts are not shared. @throws ApiProblem */
export async function createShare(title: string, messages: readonly ChatMessage[]): Promise<ThreadShare> {
  const shown = messages.map(({ role, parts, metadata }) => ({
    role,
    metadata,
    parts: parts.filter(({ type }) => type === 'text' || type === 'source-url' || type.includes('tool')),
  }))
  const response = await post('/api/chat/shares', { title, messages: shown })
  const {
    token,
    revoke_key: revokeKey,
    expires_at: expiresAt,
  } = (await response.json()) as Answers['POST /api/chat/shares']
  return { token, revokeKey, expiresAt: Date.parse(expiresAt) }
}

/** An unknown link has expired or was revoked. @throws ApiProblem */
export async function revokeShare({ token, revokeKey }: ThreadShare): Promise<void> {
  try {
    await post(`/api/chat/shares/${token}/revoke`, { revoke_key: revokeKey })
  } catch (error) {
    if (!(error instanceof ApiProblem) || error.code !== 'unknown-share') throw error
  }
}

type RatingRequest = Requests['POST /api/chat/feedback']
export type Rating = Pick<RatingRequest, 'rating' | 'reason'>

/** Ratings of the answers of a chat. */
export interface ThreadFeedback {
  /** Deletes them. Known to this browser only. */
  readonly key: string
  readonly ratings: Readonly<Record<string, Rating>>
}

export function newFeedback(): ThreadFeedback {
  const bytes = crypto.getRandomValues(new Uint8Array(16))
  const key = btoa(String.fromCharCode(...bytes))
    .replaceAll('+', '-')
    .replaceAll('/', '_')
  return { key: key.replace(/=+$/, ''), ratings: {} }
}

const ratedQuestions = 5
const sqlTools: ReadonlySet<string> = new Set(['run_indexer_sql', 'run_evm_sql'])

/** Sends questions, statements, charts and the answer, without rows and other tools. @throws ApiProblem */
export async function rateAnswer(
  { key }: ThreadFeedback,
  rated: Rating & { readonly comment: string },
  messages: readonly ChatMessage[],
): Promise<void> {
  const answer = messages.at(-1)
  const questions = messages.filter(({ role }) => role === 'user').slice(-ratedQuestions)
  const parts = answer?.parts.flatMap((part): object[] => {
    if (part.type === 'text') return [part]
    if (!('toolCallId' in part)) return []
    const name = part.type === 'dynamic-tool' ? part.toolName : part.type.slice('tool-'.length)
    if (name === 'createChart') return [part]
    return sqlTools.has(name) ? [{ ...part, ...('output' in part ? { output: {} } : {}) }] : []
  })
  await post('/api/chat/feedback', {
    key,
    answer_id: answer?.id ?? '',
    ...rated,
    messages: [
      ...questions.map(({ role, parts: texts }) => ({ role, parts: texts.filter(({ type }) => type === 'text') })),
      { role: 'assistant', parts, metadata: answer?.metadata },
    ],
  } satisfies RatingRequest)
}

const maxKeys = 100

/** @param answerId default: all answers. @throws ApiProblem */
export async function removeRatings(feedback: readonly ThreadFeedback[], answerId?: string): Promise<void> {
  for (let i = 0; i < feedback.length; i += maxKeys) {
    const keys = feedback.slice(i, i + maxKeys).map(({ key }) => key)
    await post('/api/chat/feedback/delete', { keys, ...(answerId === undefined ? {} : { answer_id: answerId }) })
  }
}

async function post(path: string, body: object): Promise<Response> {
  return await callChat(path, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...bearer() },
    body: JSON.stringify(body),
  })
}
