import type { AppPolicy, Network, PolicyDecision, PolicyRow } from '../types.ts'
import { call } from './passkeys.ts'
import type { Access } from './passkeys.ts'

/** All calls throw ApiProblem. */

export async function listPolicies(access: Access): Promise<readonly PolicyRow[]> {
  return (await call<{ readonly policies: readonly PolicyRow[] }>(access, '/policies/list')).policies
}

export async function setPolicy(access: Access, policy: AppPolicy): Promise<void> {
  await call(access, '/policies/set', policy)
}

export async function removePolicy(access: Access, origin: string): Promise<void> {
  await call(access, '/policies/remove', { origin })
}

export interface Signing {
  readonly origin: string
  readonly network: Network
  readonly spend: Spend
}

export function checkPolicy(access: Access, signing: Signing): Promise<PolicyDecision> {
  return call(access, '/policies/check', signing)
}

/** Counts the payment if it is within the limit. */
export function countSpending(access: Access, signing: Signing): Promise<PolicyDecision> {
  return call(access, '/policies/count', signing)
}

export type Spend =
  | { readonly kind: 'payment'; readonly asset: string; readonly units: string }
  | { readonly kind: 'nothing' | 'known' }
  | { readonly kind: 'code'; readonly contracts: readonly string[] | null }
