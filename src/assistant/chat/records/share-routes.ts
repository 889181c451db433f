import { z } from 'zod'
import { ApiError } from '../../../platform/errors.ts'
import { routesOf } from '../../../platform/http/route.ts'
import type { Route } from '../../../platform/http/route.ts'
import { clientNetwork } from '../../../platform/limits/clients.ts'
import { SlidingWindow } from '../../../platform/limits/sliding-window.ts'
import { historyLimits } from '../repair-answer.ts'
import { readSharedChat, shareLimits, sharedChat } from './shared-chat.ts'
import { maxShares } from './shared-chats.ts'
import type { SharedChats } from './shared-chats.ts'
import type { ChatFeedback } from './chat-feedback.ts'

/** A client that may store something. */
export interface RecordOwner {
  readonly owner: string
  /** @throws ApiError 429 `rate-limited` */
  readonly count: () => void
}

export interface RecordServices {
  readonly shares: SharedChats
  readonly feedback: ChatFeedback
  readonly shareReads: SlidingWindow
}

export const recordsPerMinute = 20
export const readsPerMinute = 120

export function shareReadLimit(): SlidingWindow {
  return new SlidingWindow({ max: readsPerMinute })
}

const route = routesOf<RecordServices, { record: RecordOwner }>()

export const secret = z.string('must be a string').regex(/^[\w-]{22}$/, 'must have 22 characters of base64url')

const example = {
  title: 'Newest block',
  messages: [
    { id: 'm0', role: 'user', parts: [{ type: 'text', text: 'What is the newest block?' }] },
    { id: 'm1', role: 'assistant', parts: [{ type: 'text', text: 'It is block 98,765,432.' }] },
  ],
} satisfies z.output<typeof sharedChat>

const unknownShare = (): ApiError =>
  new ApiError(
    404,
    'unknown-share',
    'This link does not exist, has expired, or was revoked. Ask its sender for another.',
  )

export const shareRoutes: readonly Route<RecordServices>[] = [
  route({
    method: 'POST',
    path: '/api/chat/shares',
    operationId: 'shareChat',
    tag: 'Shared chats',
    summary: 'Store a snapshot of a chat and create its link',
    description:
      'Stores questions, answers, statements, tables and charts of `messages` (UI messages of the AI SDK), without ' +
      `inputs and outputs of other tools. A snapshot has at most ${shareLimits.messages} messages and ` +
      `${shareLimits.bytes} bytes; a client has at most ${maxShares.perOwner} links and creates ` +
      `${recordsPerMinute} a minute.`,
    access: 'record',
    body: z.unknown(),
    bodyExample: example,
    maxBodyBytes: historyLimits.bodyBytes,
    response: z
      .strictObject({
        token: z.string().describe('The link is `/share/<token>`.'),
        revoke_key: z.string().describe('Required to revoke the link. Not returned again.'),
        expires_at: z.string(),
      })
      .meta({ id: 'NewShare' }),
    example: {
      token: 'gk2mI5nqRyqX0sFvZJ0r1A',
      revoke_key: 'V3h1kq0PZbW7xv2m8Yc4Tw',
      expires_at: '2026-12-27T09:14:03.512Z',
    },
    problems: {
      403: 'Sharing is disabled (`sharing-disabled`).',
      409: 'Too many links (`shares-full`).',
      413: 'The chat is too large (`share-too-large`, `body-too-large`).',
      429: 'The client shares too often (`rate-limited`).',
      503: 'The database is unavailable.',
    },
    handler: async ({ body, caller }, { shares }) => {
      caller.count()
      const { token, revokeKey, expiresAt } = await shares.create(caller.owner, readSharedChat(body))
      return { body: { token, revoke_key: revokeKey, expires_at: expiresAt.toISOString() } }
    },
  }),
  route({
    path: '/api/chat/shares/{token}',
    operationId: 'getSharedChat',
    tag: 'Shared chats',
    summary: 'Snapshot of a shared chat',
    description: 'The token is the only credential.',
    params: z.object({ token: z.string() }),
    response: sharedChat.extend({ created_at: z.string(), expires_at: z.string() }).meta({ id: 'SharedChat' }),
    example: { ...example, created_at: '2026-11-27T09:14:03.512Z', expires_at: '2026-12-27T09:14:03.512Z' },
    problems: {
      404: 'The link does not exist, has expired, or was revoked (`unknown-share`).',
      429: `The client reads more than ${readsPerMinute} times a minute (\`rate-limited\`).`,
      503: 'The database is unavailable.',
    },
    handler: async ({ params: { token }, call }, { shares, shareReads }) => {
      shareReads.require(clientNetwork(call.client.address))
      const found = secret.safeParse(token).success ? await shares.find(token) : undefined
      if (found === undefined) throw unknownShare()
      const { snapshot, createdAt, expiresAt } = found
      return {
        body: { ...snapshot, created_at: createdAt.toISOString(), expires_at: expiresAt.toISOString() },
        headers: { 'X-Robots-Tag': 'noindex' },
        caching: 'never',
      }
    },
  }),
  route({
    method: 'POST',
    path: '/api/chat/shares/{token}/revoke',
    operationId: 'revokeShare',
    tag: 'Shared chats',
    summary: 'Delete a snapshot; its link stops working',
    access: 'record',
    params: z.object({ token: z.string() }),
    body: z.strictObject({ revoke_key: secret }, 'must be a JSON object'),
    bodyExample: { revoke_key: 'V3h1kq0PZbW7xv2m8Yc4Tw' },
    response: z.strictObject({ status: z.string() }),
    example: { status: 'revoked' },
    problems: {
      404: 'The link does not exist, or the key is another one (`unknown-share`).',
      429: 'The client shares and revokes too often (`rate-limited`).',
      503: 'The database is unavailable.',
    },
    handler: async ({ params: { token }, body, caller }, { shares }) => {
      caller.count()
      if (!(await shares.revoke(token, body.revoke_key))) throw unknownShare()
      return { body: { status: 'revoked' } }
    },
  }),
]
