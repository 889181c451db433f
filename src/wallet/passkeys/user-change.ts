import { createHash } from 'node:crypto'
import type { UserChange } from '../auth/user-change.ts'

/** SHA-256 of a change: an assertion for one confirms no other one. */
export function digestOfChange(change: UserChange): Buffer {
  return createHash('sha256')
    .update(JSON.stringify([change.action, ...objectOf(change)]))
    .digest()
}

function objectOf(change: UserChange): readonly string[] {
  switch (change.action) {
    case 'add-passkey':
      return []
    case 'remove-passkey':
      return [change.credentialId, ...addressesOf(change.abandon)]
    case 'change-email':
      return [change.email.trim().toLowerCase()]
    case 'delete-user':
  }
  return addressesOf(change.abandon)
}

/** Addresses in one form and order. */
export function addressesOf(given: readonly string[]): readonly string[] {
  return [...new Set(given.map((address) => address.toLowerCase()))].toSorted()
}
