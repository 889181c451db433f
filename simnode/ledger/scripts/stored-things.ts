import { alarmJob, alarmKeeper } from '../scheduled/alarm.ts'
import type { LedgerState } from '../state/ledger-state.ts'
import type { Account } from '../world/account.ts'
import { collections } from '../world/collections.ts'
import { placeInRound } from '../world/people.ts'
import { flow, systemAccounts, tokens } from '../world/tokens.ts'
import type { StoredThing } from './script-state.ts'

const receivers = `Capability<&{A.${systemAccounts.fungibleToken.hex}.FungibleToken.Receiver}>`

/** What an account keeps: people have all that they may need, others a FLOW vault, and what they are there for. */
export function storedBy(state: LedgerState, account: Account): readonly StoredThing[] {
  const isPerson = placeInRound(account) !== undefined
  const own = tokens.filter((token) => token === flow || isPerson || state.vaults.balance(token, account) > 0n)
  const vaults = own.map(({ storagePath, vaultType }) => ({ path: storagePath, type: vaultType }))
  if (account.index === alarmKeeper.index) vaults.push({ path: alarmJob.storagePath, type: alarmJob.type })
  if (!isPerson) return vaults
  return [
    ...vaults,
    ...collections.map(({ storagePath, itemType }) => ({
      path: storagePath,
      type: itemType.replace(/NFT$/, 'Collection'),
    })),
    { path: '/storage/NFTStorefrontV2', type: `A.${systemAccounts.service.hex}.NFTStorefrontV2.Storefront` },
  ]
}

/** What it shows to everybody. */
export function publishedBy(state: LedgerState, account: Account): readonly StoredThing[] {
  const isPerson = placeInRound(account) !== undefined
  const own = tokens.filter((token) => token === flow || isPerson || state.vaults.balance(token, account) > 0n)
  const vaults = own.flatMap(({ receiverPath, balancePath, vaultType }) => [
    { path: receiverPath, type: receivers },
    { path: balancePath, type: `Capability<&${vaultType}>` },
  ])
  if (!isPerson) return vaults
  return [
    ...vaults,
    ...collections.map(({ publicPath, itemType }) => ({
      path: publicPath,
      type: `Capability<&${itemType.replace(/NFT$/, 'Collection')}>`,
    })),
    {
      path: '/public/NFTStorefrontV2',
      type: `Capability<&{A.${systemAccounts.service.hex}.NFTStorefrontV2.StorefrontPublic}>`,
    },
  ]
}
