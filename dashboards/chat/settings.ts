import { useQuery } from '@tanstack/react-query'
import type { UseQueryResult } from '@tanstack/react-query'
import { createContext, useContext } from 'react'
import { createQueryClient } from '../kit/query-client.ts'
import { readToken } from '../kit/token.ts'
import type { ChatSettings } from './answers.gen.ts'
import { ChatProblem, problemOf } from './problem.ts'
import type { LinkPlaces } from './answer/markdown-text.ts'

const againMs = 3000

export const queryClient = createQueryClient({ mayRecover: () => true, maxRetries: 1, staleTime: 60_000 })

/** What the chat can do. A page that waits for a service which starts asks again by itself. */
export function useSettings(): UseQueryResult<ChatSettings> {
  return useQuery({
    queryKey: ['settings'],
    queryFn: ({ signal }) => readSettings(signal),
    refetchInterval: ({ state }) => (state.status === 'error' ? againMs : false),
  })
}

/** @throws ChatProblem */
async function readSettings(signal: AbortSignal): Promise<ChatSettings> {
  const response = await callChat('/api/chat/settings', { signal, headers: { accept: 'application/json' } })
  if (!response.ok) throw await problemOf(response)
  return (await response.json()) as ChatSettings
}

/**
 * Asks the service, and says in words when nothing answers.
 * @throws ChatProblem of status 0; what the signal says when it ends the call
 */
export async function callChat(path: string, init: RequestInit): Promise<Response> {
  try {
    return await fetch(path, init)
  } catch (error) {
    if (init.signal?.aborted === true) throw error
    throw new ChatProblem(0, 'no-answer', 'The chat does not answer. Is the network there, and is flowfarm running?')
  }
}

/** The header that shows a token. Default: that of this tab, if one was entered. */
export function bearer(token = readToken()): Record<string, string> {
  return token === undefined ? {} : { authorization: `Bearer ${token}` }
}

/**
 * Whether the chat takes a token: an empty question is refused for itself, by whoever gets past the door.
 * @throws ChatProblem 401 where it does not, or what else keeps it from saying so
 */
export async function tryToken(token: string): Promise<void> {
  const response = await callChat('/api/chat', {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...bearer(token) },
    body: '{"messages":[]}',
  })
  await response.body?.cancel()
  if (response.status === 401 || response.status >= 500) throw await problemOf(response)
}

/** Where what is in an answer may lead. */
interface Places extends LinkPlaces {
  readonly explorerUrl: string | undefined
}

export const PlacesContext = createContext<Places>({ origin: '', hosts: [], explorerUrl: undefined })

export function usePlaces(): Places {
  return useContext(PlacesContext)
}

/** The places that the service names. */
export function placesOf(settings: ChatSettings | undefined, origin: string): Places {
  const url = settings?.explorer_url ?? undefined
  // A setting of a person, which may be none after all.
  const explorerUrl = url !== undefined && URL.canParse(url) && /^https?:/.test(url) ? url : undefined
  return {
    origin,
    hosts: settings?.link_hosts ?? [],
    explorerUrl,
    explorerOrigin: explorerUrl === undefined ? undefined : new URL(explorerUrl).origin,
  }
}
