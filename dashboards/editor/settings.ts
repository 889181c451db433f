import { createContext, useContext } from 'react'
import type { Context } from 'react'
import { QueryClient } from '@tanstack/react-query'
import { callJson, mayPass } from '../auth/problem.ts'
import type { EditorSettings, Network, NetworkSettings } from './contract.ts'

/** Keeps what was read of the services. Only what may be different the next time is asked again. */
export function createQueryClient(): QueryClient {
  return new QueryClient({
    defaultOptions: {
      queries: {
        retry: (failures, error) => failures < 2 && mayPass(error),
        retryDelay: (failures) => 500 * 2 ** failures,
        staleTime: 5000,
        networkMode: 'always',
      },
    },
  })
}

/** @throws WalletProblem */
export function readSettings(signal: AbortSignal): Promise<EditorSettings> {
  return callJson<EditorSettings>('/editor/settings', { signal })
}

export const SettingsContext: Context<EditorSettings | undefined> = createContext<EditorSettings | undefined>(undefined)

export function useSettings(): EditorSettings {
  const settings = useContext(SettingsContext)
  if (settings === undefined) throw new Error('There are no settings above.')
  return settings
}

/** The network that new projects are for. */
export function defaultNetwork({ networks }: EditorSettings): Network {
  return (networks.find((one) => one.is_default === true) ?? networks[0])?.network ?? 'testnet'
}

export function networkSettings({ networks }: EditorSettings, network: Network): NetworkSettings | undefined {
  return networks.find((one) => one.network === network)
}

/** Networks as people say them. */
export const networkNames: Readonly<Record<Network, string>> = {
  mainnet: 'Mainnet',
  testnet: 'Testnet',
  emulator: 'Emulator',
}
