import { createContext, useContext } from 'react'
import type { ChatSettings } from '../contract.ts'
import type { LinkPlaces } from './link-rules.ts'

/** Where what is in an answer may lead. */
export interface Places extends LinkPlaces {
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
