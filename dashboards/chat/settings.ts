import { useQuery } from '@tanstack/react-query'
import type { UseQueryResult } from '@tanstack/react-query'
import { createContext, useContext } from 'react'
import { createQueryClient } from '../kit/query-client.ts'
import { readToken } from '../kit/token.ts'
import type { ChatSettings } from './answers.gen.ts'
import { ApiProblem, request } from '../kit/api.ts'
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

/** @throws ApiProblem */
async function readSettings(signal: AbortSignal): Promise<ChatSettings> {
  const response = await callChat('/api/chat/settings', { signal, headers: { accept: 'application/json' } })
  return (await response.json()) as ChatSettings
}

/** @throws ApiProblem for an error response and if there is no response; the signal's reason if it aborts */
export async function callChat(path: string, init: RequestInit): Promise<Response> {
  return await request(path, init, 'The chat')
}

/** The header that shows a token. Default: that of this tab, if one was entered. */
export function bearer(token = readToken()): Record<string, string> {
  return token === undefined ? {} : { authorization: `Bearer ${token}` }
}

/** Checks a token with an empty question, which is rejected only after authentication. @throws ApiProblem */
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
