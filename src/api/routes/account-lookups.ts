import { z } from 'zod'
import { ApiError } from '../../base/errors.ts'
import { exampleCoa, examplePublicKey } from '../examples/accounts.ts'
import { listOf, page } from '../paging/envelope.ts'
import { eventCursor, parseEventCursor } from '../paging/event-pages.ts'
import { keyCursor, keyParts } from '../paging/key-cursor.ts'
import { limitParameter, partyParameter } from '../parameters/parameters.ts'
import { publicKeyBytes, publicKeyParameter } from '../parameters/public-key.ts'
import { coaSchema, presentCoa } from '../presenters/coa.ts'
import { presentPublicKey, publicKeySchema } from '../presenters/public-key.ts'
import { listKeysByPublicKeys, withKeysOfChain } from '../queries/account-keys.ts'
import { readBlockTimes } from '../queries/block-times.ts'
import { listCoas } from '../queries/coa-accounts.ts'
import { readTransactionIds } from '../queries/transaction-ids.ts'
import { defineRoute } from '../route.ts'

const publicKeyCursor = keyCursor({ revoked: /[01]/, address: /0x[0-9a-f]{16}/, key_index: keyParts.index })

const publicKey = defineRoute({
  path: '/flow/key/{publicKey}',
  operationId: 'listAccountsOfPublicKey',
  tag: 'Accounts',
  summary: 'Accounts that have a public key, those where it is in force first',
  description:
    'The index has the keys that indexed transactions added. Keys of older accounts have no indexed ' +
    'event, nor have those of the first accounts of the simulated chain: access nodes cannot look up an account by ' +
    'its key, so such a key is found only after this process was asked for its account.',
  params: z.object({ publicKey: publicKeyParameter() }),
  query: z.object({ limit: limitParameter({ default: 20, max: 100 }), cursor: publicKeyCursor.parameter }),
  response: listOf(publicKeySchema, 'PublicKey'),
  problems: { 404: 'No account is known to have or have had this key.' },
  example: { data: [examplePublicKey], has_more: false, cursor: '', _meta: { limit: 20, count: 1 } },
  handler: async ({ params: { publicKey: digits }, query: { limit, cursor } }, { database, chain }) => {
    const place = publicKeyCursor.parse(cursor)
    const after =
      place === undefined
        ? undefined
        : {
            isRevoked: place.revoked === '1',
            address: place.address,
            index: Number(place.key_index),
          }
    const keys = publicKeyBytes(digits)
    const indexed = await listKeysByPublicKeys(database, keys, after, limit + 1)
    const isWhole = after === undefined && indexed.length <= limit
    const rows = isWhole ? await withKeysOfChain(chain, keys, indexed, limit) : indexed
    if (after === undefined && rows.length === 0) {
      throw new ApiError(
        404,
        'unknown-key',
        'No account is known to have or have had this key. A key from before the first indexed ' +
          'block is found once its account was asked for.',
        { field: 'publicKey' },
      )
    }
    return {
      body: page(rows, limit, presentPublicKey, ({ is_revoked: isRevoked, address, key_index: index }) =>
        publicKeyCursor.format({ revoked: isRevoked ? 1 : 0, address, key_index: index }),
      ),
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
      const detail =
        address.length === 42
          ? `${address} is not known as an EVM account that Cadence owns.`
          : `No EVM account of ${address} is known.`
      throw new ApiError(404, 'unknown-coa', detail, { field: 'address' })
    }
    const shown = rows.slice(0, limit)
    const [times, idAt] = await Promise.all([
      readBlockTimes(
        database,
        shown.map((row) => row.block_height),
      ),
      readTransactionIds(database, shown),
    ])
    return {
      body: page(
        rows,
        limit,
        (row) => presentCoa(row, idAt(row), times),
        (row) => eventCursor.format(row),
      ),
    }
  },
})

/** Accounts by what they have: a key, an EVM account. */
export const accountLookupRoutes = [publicKey, coa]
