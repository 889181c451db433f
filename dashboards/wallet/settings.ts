import { createContext, useContext } from 'react'
import type { Context } from 'react'
import { QueryClient } from '@tanstack/react-query'
import type { Network, NetworkSettings, WalletSettings } from './contract.ts'
import { callJson, mayPass } from '../auth/problem.ts'

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
export function readSettings(signal: AbortSignal): Promise<WalletSettings> {
  return callJson<WalletSettings>('/wallet/settings', { signal })
}

export const SettingsContext: Context<WalletSettings | undefined> = createContext<WalletSettings | undefined>(undefined)

export function useSettings(): WalletSettings {
  const settings = useContext(SettingsContext)
  if (settings === undefined) throw new Error('There are no settings above.')
  return settings
}

export function networkSettings({ networks }: WalletSettings, network: Network): NetworkSettings | undefined {
  return networks.find((one) => one.network === network)
}

/** Whether people are kept by the wallet itself, which lets them change their address and leave; an auth server of somebody else need not. */
export function hasOwnAuth({ gotrue_url: gotrueUrl }: WalletSettings): boolean {
  return gotrueUrl === '/auth/v1'
}

/** The network's name as people say it. */
export const networkNames: Readonly<Record<Network, string>> = { mainnet: 'Mainnet', testnet: 'Testnet' }
