import { z } from 'zod'
import { ApiError } from '../../base/errors.ts'
import { singleOf } from '../paging/envelope.ts'
import { exampleTransaction } from '../examples/transactions.ts'
import { hashBytes, hashPattern, idFormat } from '../formats/formats.ts'
import { noParameters } from '../parameters/parameters.ts'
import { readScripts } from '../queries/read-scripts.ts'
import { defineRoute } from '../route.ts'

const scriptSchema = z
  .strictObject({
    script_hash: idFormat.describe('SHA-256 of the script.'),
    script_text: z.string().describe('Cadence source.'),
    template_category: z.string().describe('As of its transactions.'),
    template_label: z.string(),
  })
  .meta({ id: 'Script' })

const script = defineRoute({
  path: '/flow/script/{hash}',
  operationId: 'getScript',
  tag: 'Transactions',
  summary: 'The script of transactions, by its hash',
  params: z.object({
    hash: z
      .string()
      .regex(hashPattern, 'must be the SHA-256 of a script: 64 hex digits, with or without 0x')
      .describe('`script_hash` of a transaction.'),
  }),
  query: noParameters,
  response: singleOf(scriptSchema, 'Script'),
  problems: { 404: 'No stored transaction has this script.' },
  example: {
    data: [
      {
        script_hash: exampleTransaction.script_hash,
        script_text: 'import "FungibleToken"\n\ntransaction(amount: UFix64, to: Address) {}\n',
        template_category: exampleTransaction.template_category,
        template_label: exampleTransaction.template_label,
      },
    ],
  },
  handler: async ({ params }, { database, network }) => {
    const hash = hashBytes(params.hash).toString('hex')
    const found = (await readScripts(database, network(), [hash])).get(hash)
    if (found === undefined) {
      throw new ApiError(404, 'unknown-script', `No stored transaction has the script ${hash}.`, { field: 'hash' })
    }
    const { text, template } = found
    return {
      body: {
        data: [
          {
            script_hash: hash,
            script_text: text,
            template_category: template.category,
            template_label: template.label,
          },
        ],
      },
    }
  },
})

/** Scripts of transactions. */
export const scriptRoutes = [script]
