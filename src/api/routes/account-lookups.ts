import { z } from 'zod'
import { ApiError } from '../../base/errors.ts'
import { exampleCoa, examplePublicKey } from '../examples/accounts.ts'
import { listOf, page } from '../paging/envelope.ts'
import { eventCursor, parseEventCursor } from '../paging/event-pages.ts'
import { keyCursor, keyParts } from '../paging/key-cursor.ts'
import { limitParameter, partyParameter } from '../parameters/parameters.ts'
import { textParameter, withoutPrefix } from '../parameters/text-parameter.ts'
import type { TextParameter } from '../parameters/text-parameter.ts'
import { coaSchema, presentCoa } from '../presenters/coa.ts'
import { presentPublicKey, publicKeySchema } from '../presenters/public-key.ts'
import { listKeysByPublicKey } from '../queries/account-keys.ts'
import { readBlockTimes } from '../queries/block-times.ts'
import { listCoas } from '../queries/coa-accounts.ts'
import { readTransactionIds } from '../queries/transaction-ids.ts'
import { defineRoute } from '../route.ts'

const publicKeyCursor = keyCursor({ revoked: /[01]/, address: /0x[0-9a-f]{16}/, key_index: keyParts.index })

/** Bytes of a key as people write it: some tools put 0x before it, and some the 04 of an uncompressed point. */
function publicKeyParameter(): TextParameter {
  const form = /^(0[xX])?(04)?([0-9a-fA-F]{128}|[0-9a-fA-F]{192})$/
  const withoutPoint = (digits: string): string => ([130, 194].includes(digits.length) ? digits.slice(2) : digits)
  return textParameter(
    form, 'must be a public key: 128 hex digits, or 192 for BLS, with or without 0x', (text) => withoutPoint(withoutPrefix(text).toLowerCase()),
  )
    .describe('Public key: 128 hex digits (ECDSA) or 192 (BLS), with or without 0x.')
}

const publicKey = defineRoute({
  path: '/flow/key/{publicKey}',
  operationId: 'listAccountsOfPublicKey',
  tag: 'Accounts',
  summary: 'Accounts that have a public key, those where it is in force first',
  params: z.object({ publicKey: publicKeyParameter() }),
  query: z.object({ limit: limitParameter({ default: 20, max: 100 }), cursor: publicKeyCursor.parameter }),
  response: listOf(publicKeySchema, 'PublicKey'),
  problems: { 404: 'No account is known to have or have had this key.' },
  example: { data: [examplePublicKey], has_more: false, cursor: '', _meta: { limit: 20, count: 1 } },
  handler: async ({ params: { publicKey: digits }, query: { limit, cursor } }, { database }) => {
    const place = publicKeyCursor.parse(cursor)
    const after = place === undefined ? undefined : {
      isRevoked: place.revoked === '1', address: place.address, index: Number(place.key_index),
    }
    const rows = await listKeysByPublicKey(database, Buffer.from(digits, 'hex'), after, limit + 1)
    if (after === undefined && rows.length === 0) {
      throw new ApiError(404, 'unknown-key', 'No account is known to have or have had this key.', { field: 'publicKey' })
    }
    return {
      body: page(rows, limit, presentPublicKey, ({ is_revoked: isRevoked, address, key_index: index }) => (
        publicKeyCursor.format({ revoked: isRevoked ? 1 : 0, address, key_index: index })
      )),
    }
  },
})

const coa = defineRoute({
  path: '/flow/coa/{address}',
  operationId: 'getCoaMapping',
  tag: 'Accounts',
  summary: 'The EVM accounts of a Flow account, or the Flow account of an EVM account',
  description: 'Of the EVM accounts that Cadence owns (COAs), in the order in which they were created.',
  params: z.object({ address: partyParameter() }),
  query: z.object({ limit: limitParameter({ default: 20, max: 100 }), cursor: eventCursor.parameter }),
  response: listOf(coaSchema, 'CoaMapping'),
  problems: { 404: 'No such EVM account is known.' },
  example: { data: [exampleCoa], has_more: false, cursor: '', _meta: { limit: 20, count: 1 } },
  handler: async ({ params: { address }, query: { limit, cursor } }, { database }) => {
    const after = parseEventCursor(cursor)
    const rows = await listCoas(database, address, after, limit + 1)
    if (after === undefined && rows.length === 0) {
      const detail = address.length === 42
        ? `${address} is not known as an EVM account that Cadence owns.` : `No EVM account of ${address} is known.`
      throw new ApiError(404, 'unknown-coa', detail, { field: 'address' })
    }
    const shown = rows.slice(0, limit)
    const [times, idAt] = await Promise.all([
      readBlockTimes(database, shown.map((row) => row.block_height)), readTransactionIds(database, shown),
    ])
    return { body: page(rows, limit, (row) => presentCoa(row, idAt(row), times), (row) => eventCursor.format(row)) }
  },
})

/** Accounts by what they have: a key, an EVM account. */
export const accountLookupRoutes = [publicKey, coa]
