import { useQuery } from '@tanstack/react-query'
import type { UseQueryResult } from '@tanstack/react-query'
import { createContext, useContext } from 'react'
import { createQueryClient } from '../kit/query-client.ts'
import { readToken } from '../kit/token.ts'
import type { ChatSettings, Requests, ToolRun } from './answers.gen.ts'
import { ApiProblem, request } from '../kit/api.ts'
import type { LinkPolicy } from './answer/markdown-text.ts'

export type ConfirmedTool = Requests['POST /api/chat/confirm']['tool']

const againMs = 3000

export const queryClient = createQueryClient({ mayRecover: () => true, maxRetries: 1, staleTime: 60_000 })

export function useSettings(): UseQueryResult<ChatSettings> {
  return useQuery({
    queryKey: ['settings'],
    queryFn: ({ signal }) => readSettings(signal),
    refetchInterval: ({ state }) => (state.status === 'error' ? againMs : false),
  })
}

/** @throws ApiProblem */
async function readSettings(signal: AbortSignal): Promise<ChatSettings> {
  const response = await callChat('/api/chat/settings', { signal, headers: { accept: 'application/json' } })
  return (await response.json()) as ChatSettings
}

/** @throws ApiProblem for an error response and without a response; the signal's reason if it aborts */
export async function callChat(path: string, init: RequestInit): Promise<Response> {
  return await request(path, init, 'The chat')
}

export function bearer(token = readToken()): Record<string, string> {
  return token === undefined ? {} : { authorization: `Bearer ${token}` }
}

/** @throws ApiProblem */
export async function runSql(sql: string, target: 'indexer' | 'evm'): Promise<ToolRun> {
  return await runTool('/api/chat/sql', { sql, target })
}

/** @throws ApiProblem */
export async function confirmTool(tool: ConfirmedTool, input: Readonly<Record<string, unknown>>): Promise<ToolRun> {
  return await runTool('/api/chat/confirm', { tool, input })
}

async function runTool(path: string, body: object): Promise<ToolRun> {
  const response = await callChat(path, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...bearer() },
    body: JSON.stringify(body),
  })
  return (await response.json()) as ToolRun
}

/** An empty question is rejected only after authentication. @throws ApiProblem */
export async function tryToken(token: string): Promise<void> {
  try {
    await callChat('/api/chat', {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...bearer(token) },
      body: '{"messages":[]}',
    })
  } catch (error) {
    if (error instanceof ApiProblem && error.status >= 400 && error.status < 500 && error.status !== 401) return
    throw error
  }
}

interface ChatLinkPolicy extends LinkPolicy {
  readonly explorerUrl: string | undefined
}

export const LinkPolicyContext = createContext<ChatLinkPolicy>({ origin: '', hosts: [], explorerUrl: undefined })

export function useLinkPolicy(): ChatLinkPolicy {
  return useContext(LinkPolicyContext)
}

export function linkPolicyOf(settings: ChatSettings | undefined, origin: string): ChatLinkPolicy {
  const url = settings?.explorer_url ?? undefined
  const explorerUrl = url !== undefined && URL.canParse(url) && /^https?:/.test(url) ? url : undefined
  return {
    origin,
    hosts: settings?.link_hosts ?? [],
    explorerUrl,
    explorerOrigin: explorerUrl === undefined ? undefined : new URL(explorerUrl).origin,
  }
}
