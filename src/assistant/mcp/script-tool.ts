import type { McpServer } from '@modelcontextprotocol/server'
import { z } from 'zod'
import { ApiError } from '../../platform/errors.ts'
import {
  advertised,
  failedWith,
  failureFields,
  isPresent,
  noFailure,
  readingOpenWorld,
  registerTool,
  toolResult,
} from '../../platform/mcp/tool.ts'
import type { CallContext } from '../../platform/mcp/tool.ts'
import { jsonCdcSchema } from './script-runners.ts'
import type { LimitedScripts } from './script-runners.ts'

export const scriptToolName = 'run_chain_script'

const maxScriptCharacters = 100_000

const badHeight = 'must be a block height or "sealed"'

const schema = z.strictObject({
  script: z
    .string('must be a string')
    .min(1, 'must not be empty')
    .max(maxScriptCharacters, `must have at most ${maxScriptCharacters} characters`)
    .describe(
      'Cadence 1.0 source with `access(all) fun main(…)`. Import contracts by address: `import FlowToken from ' +
        '0x1654653399040a61`.',
    ),
  arguments: z
    .array(jsonCdcSchema, 'must be a list of JSON-CDC values')
    .nullish()
    .describe(
      'Arguments of main, in order, as JSON-CDC: [{"type": "Address", "value": "0x1654653399040a61"}, ' +
        '{"type": "UFix64", "value": "1.5"}].',
    ),
  block_height: z
    .union([z.int().nonnegative(), z.string().regex(/^(sealed|[0-9]{1,15})$/, badHeight)], badHeight)
    .nullish()
    .describe(
      'Height of the block whose state is read. Default, and `sealed`: the latest sealed block. Nodes keep a few ' +
        'weeks of state.',
    ),
  block_id: z
    .string('must be a string')
    .regex(/^(0x)?[0-9a-fA-F]{64}$/, 'must be 64 hex digits')
    .nullish()
    .describe('Id of the block, instead of block_height.'),
})

const output = advertised(
  z.object({
    result: jsonCdcSchema
      .nullable()
      .describe('Return value of main as JSON-CDC (type and value, not flattened); null on failure.'),
    ...failureFields,
  }),
)

export function registerScriptTool(server: McpServer, scripts: LimitedScripts, context: CallContext): void {
  registerTool(server, context, {
    name: scriptToolName,
    title: 'Run a Cadence script',
    description:
      'Runs a read-only Cadence script on an access node: current or historical balances, storage, staking and ' +
      'contracts. It cannot change the chain. Read the resource schema://script-reference for contract addresses ' +
      'and examples.',
    schema,
    output,
    annotations: readingOpenWorld,
    run: async ({ script, arguments: values, block_height: height, block_id: id }, signal) => {
      if (isPresent(height) && isPresent(id))
        throw new ApiError(400, 'two-blocks', 'Give block_height or block_id, not both.', { field: 'block_id' })
      const at = {
        height: isPresent(height) && height !== 'sealed' ? Number(height) : undefined,
        id: isPresent(id) ? id.replace(/^0x/, '').toLowerCase() : undefined,
      }
      const result = await scripts.run(script, values ?? [], at, { signal, client: context.client })
      return toolResult({ result, ...noFailure }, JSON.stringify({ result }))
    },
    failed: failedWith({ result: null }),
  })
}
