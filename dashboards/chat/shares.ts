import type { Answers } from './answers.gen.ts'
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

async function post(path: string, body: object): Promise<Response> {
  return await callChat(path, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...bearer() },
    body: JSON.stringify(body),
  })
}
