import { useQueries, useQuery, useQueryClient } from '@tanstack/react-query'
import type { UseQueryOptions, UseQueryResult } from '@tanstack/react-query'
import { useMemo, createContext, useContext } from 'react'
import type { Context } from 'react'
import { useAuth } from '../auth/auth-provider.tsx'
import { readAccount } from './chain/chain-client.ts'
import type { OwnAccount } from './chain/chain-client.ts'
import type { ChainAccount, NetworkSettings, WalletSettings } from './answers.gen.ts'
import type { AccountRow, AccountStanding, ActivityRow, ContactRow, Network, PasskeyRow, PolicyRow } from './types.ts'
import { withUniqueNames } from './chain/passkey-keys.ts'
import { listAccounts, listActivity, listContacts, listPasskeys } from './chain/passkeys.ts'
import { listPolicies } from './chain/app-policies.ts'
import { callJson } from '../auth/auth-service.ts'

const freshMs = 10_000

export function usePasskeys(): UseQueryResult<readonly PasskeyRow[]> {
  const auth = useAuth()
  return useQuery({ queryKey: ['own', 'passkeys'], queryFn: () => listPasskeys(auth), select: withUniqueNames })
}

export function useAccounts(): UseQueryResult<readonly AccountRow[]> {
  const auth = useAuth()
  return useQuery({
    queryKey: ['own', 'accounts'],
    queryFn: () => listAccounts(auth),
    refetchInterval: ({ state }) =>
      state.data?.some(({ networks }) => Object.values(networks ?? {}).some(isPending)) === true ? 2000 : false,
  })
}

export function useSignIns(): UseQueryResult<readonly ActivityRow[]> {
  const auth = useAuth()
  return useQuery({ queryKey: ['own', 'activity'], queryFn: () => listActivity(auth) })
}

export function useContacts(): UseQueryResult<readonly ContactRow[]> {
  const auth = useAuth()
  return useQuery({ queryKey: ['own', 'contacts'], queryFn: () => listContacts(auth) })
}

export function usePolicies(): UseQueryResult<readonly PolicyRow[]> {
  const auth = useAuth()
  return useQuery({ queryKey: ['own', 'policies'], queryFn: () => listPolicies(auth) })
}

export function useChainAccount(network: Network, address: string | undefined): UseQueryResult<ChainAccount> {
  return useQuery(chainAccount(network, address))
}

/** In the order of the accounts; undefined while loading and on errors. */
export function useChainAccounts(
  accounts: readonly Pick<OwnAccount, 'network' | 'address'>[],
): readonly (ChainAccount | undefined)[] {
  return useQueries({ queries: accounts.map(({ network, address }) => chainAccount(network, address)) }).map(
    ({ data }) => data,
  )
}

function chainAccount(network: Network, address: string | undefined): UseQueryOptions<ChainAccount> {
  return {
    queryKey: ['own', 'chain', network, address],
    queryFn: ({ signal }) => readAccount(network, address ?? '', signal),
    enabled: address !== undefined,
    refetchInterval: freshMs,
  }
}

interface ExplorerList<Item> {
  readonly data: readonly Item[]
}

/** Through the wallet's host. Undefined path: not available for that network. */
export function useExplorer<Item>(path: string | undefined): UseQueryResult<readonly Item[]> {
  return useQuery({
    queryKey: ['own', 'explorer', path],
    queryFn: async ({ signal }) => (await callJson<ExplorerList<Item>>(`/explorer${path ?? ''}`, { signal })).data,
    enabled: path !== undefined,
    refetchInterval: freshMs,
  })
}

export function useRefresh(): () => Promise<void> {
  const client = useQueryClient()
  return () => client.invalidateQueries({ queryKey: ['own'] })
}

export function isPending({ state }: AccountStanding): boolean {
  return state === 'wanted' || state === 'sent'
}

export function addressOf(row: AccountRow, network: Network): string | undefined {
  return (network === 'mainnet' ? row.flowAddress : row.flowAddressTestnet) ?? undefined
}

/** All existing accounts, each once. @param passkeys may be keys of any account */
function ownAccounts(rows: readonly AccountRow[], passkeys: readonly PasskeyRow[]): readonly OwnAccount[] {
  const known = [
    ...passkeys.map(({ id, publicKeySec1Hex, lastUsedAt }) => ({ credentialId: id, publicKeySec1Hex, lastUsedAt })),
    ...rows.map(({ credentialId, publicKeySec1Hex }) => ({ credentialId, publicKeySec1Hex, lastUsedAt: null })),
  ]
  const accounts = rows.flatMap((row) =>
    (['mainnet', 'testnet'] as const).flatMap((network) => {
      const address = addressOf(row, network)
      const others = known.filter(
        ({ credentialId }, at) =>
          credentialId !== row.credentialId && known.findIndex((one) => one.credentialId === credentialId) === at,
      )
      const lastUsedAt = known.find(({ credentialId }) => credentialId === row.credentialId)?.lastUsedAt
      return address === undefined
        ? []
        : [
            {
              network,
              address,
              credentialId: row.credentialId,
              publicKeySec1Hex: row.publicKeySec1Hex,
              lastUsedAt,
              others,
            },
          ]
    }),
  )
  return accounts.filter(
    ({ network, address }, at) =>
      accounts.findIndex((one) => one.network === network && one.address === address) === at,
  )
}

export function useOwnAccounts(): { readonly data: readonly OwnAccount[] | undefined; readonly error: Error | null } {
  const [accounts, passkeys] = [useAccounts(), usePasskeys()]
  const data = useMemo(
    () =>
      accounts.data === undefined || passkeys.data === undefined
        ? undefined
        : ownAccounts(accounts.data, passkeys.data),
    [accounts.data, passkeys.data],
  )
  return { data, error: accounts.error ?? passkeys.error }
}

/** @throws ApiProblem */
export function readSettings(signal: AbortSignal): Promise<WalletSettings> {
  return callJson<WalletSettings>('/wallet/settings', { signal })
}

export const SettingsContext: Context<WalletSettings | undefined> = createContext<WalletSettings | undefined>(undefined)

export function useSettings(): WalletSettings {
  const settings = useContext(SettingsContext)
  if (settings === undefined) throw new Error('useSettings requires a SettingsContext.')
  return settings
}

export function networkSettings({ networks }: WalletSettings, network: Network): NetworkSettings | undefined {
  return networks.find((one) => one.network === network)
}

/** Only the wallet's own auth server can change addresses and delete accounts. */
export function hasOwnAuth({ gotrue_url: gotrueUrl }: WalletSettings): boolean {
  return gotrueUrl === '/auth/v1'
}
