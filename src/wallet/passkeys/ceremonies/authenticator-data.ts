import { createHash } from 'node:crypto'
import type { RelyingParty } from '../relying-party.ts'
import { VerificationFailure } from './verification-failure.ts'

const flags = { userPresent: 0x01, userVerified: 0x04, backupEligible: 0x08, backedUp: 0x10 } as const

export interface BackupFlags {
  readonly deviceType: 'singleDevice' | 'multiDevice'
  readonly isBackedUp: boolean
}

/** Checks the head that all data of authenticators has: for whom, and that somebody was there and verified. @throws VerificationFailure */
export function requireAuthenticatorData(data: Uint8Array, relyingParty: RelyingParty): BackupFlags {
  if (data.length < 37) throw new VerificationFailure('malformed')
  if (!createHash('sha256').update(relyingParty.id).digest().equals(data.subarray(0, 32)))
    throw new VerificationFailure('relying-party')
  const set = data[32] ?? 0
  const has = (flag: number): boolean => (set & flag) !== 0
  if (!has(flags.userPresent)) throw new VerificationFailure('user-presence')
  if (!has(flags.userVerified)) throw new VerificationFailure('user-verification')
  if (has(flags.backedUp) && !has(flags.backupEligible)) throw new VerificationFailure('backup')
  return { deviceType: has(flags.backupEligible) ? 'multiDevice' : 'singleDevice', isBackedUp: has(flags.backedUp) }
}
