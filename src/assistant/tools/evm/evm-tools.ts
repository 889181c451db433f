import type { McpServer } from '@modelcontextprotocol/server'
import { z } from 'zod'
import { ApiError } from '../../../platform/errors.ts'
import { isPresent, readingOpenWorld, registerTool, toolResult } from '../../../platform/mcp/tool.ts'
import type { CallContext } from '../../../platform/mcp/tool.ts'
import { readSignature } from './abi-signature.ts'
import type { Signature } from './abi-signature.ts'
import { decodeValues, encodeArguments, revertReason, showValue } from './abi-values.ts'
import type { PresentedValue } from './abi-values.ts'
import { logRange, maxLogBlocks, readLogs } from './evm-logs.ts'
import {
  addressField,
  blockField,
  blockParameter,
  flowText,
  hexField,
  isQuantity,
  NodeRefusal,
  quantityOf,
  readMethods,
  requireReading,
  toHex,
} from './rpc-node.ts'
import type { RpcNode } from './rpc-node.ts'

export interface EvmToolParts {
  readonly node: RpcNode
  readonly context: CallContext
}

const maxTextCharacters = 60_000
const maxLogs = 200
const defaultLogs = 50

const rpcSchema = z.strictObject({
  method: z
    .string('must be a string')
    .max(100, 'must have at most 100 characters')
    .describe(`One of: ${readMethods.join(', ')}.`),
  params: z
    .array(z.unknown(), 'must be a list')
    .max(3, 'must have at most 3 entries')
    .nullish()
    .describe('JSON-RPC parameters in order; numbers in hex.'),
})
const balanceSchema = z.strictObject({
  address: addressField.describe('EVM address.'),
  block: blockField.nullish().describe('State after this block. Default: latest.'),
})
const callSchema = z.strictObject({
  to: addressField.describe('The contract.'),
  signature: z
    .string('must be a string')
    .nullish()
    .describe(
      'Function signature in Solidity syntax, also used to decode the result: balanceOf(address) returns (uint256).',
    ),
  args: z
    .array(z.unknown(), 'must be a list')
    .max(64, 'must have at most 64 entries')
    .nullish()
    .describe('Arguments: numbers as strings, addresses and bytes as 0x-prefixed hex, tuples as arrays.'),
  data: hexField.nullish().describe('Raw input data, instead of signature and args.'),
  from: addressField.nullish().describe('Caller address (msg.sender), for contracts that check it.'),
  value: z
    .string('must be a string')
    .regex(/^(\d{1,30}|0x[0-9a-fA-F]{1,25})$/, 'must be an amount in wei')
    .nullish()
    .describe('Amount to send, in wei.'),
  block: blockField.nullish().describe('State after this block. Default: latest.'),
})
const topicField = z.union(
  [z.string().regex(/^0x[0-9a-fA-F]{64}$/), z.null()],
  'must be 0x and 64 hex digits, or null for any',
)
const logsSchema = z.strictObject({
  address: z
    .union([addressField, z.array(addressField).min(1).max(10)], 'must be an EVM address, or a list of at most 10')
    .nullish()
    .describe('Contract that emitted the logs.'),
  event: z
    .string('must be a string')
    .nullish()
    .describe(
      'Event signature in Solidity syntax, also used to decode the logs: Transfer(address indexed from, address ' +
        'indexed to, uint256 value).',
    ),
  topics: z
    .array(z.union([topicField, z.array(topicField).max(10)]))
    .max(4, 'must have at most 4 entries')
    .nullish()
    .describe(
      'Topics by position; null matches any, a list matches one of several. With `event`, the first is set ' +
        'automatically.',
    ),
  from_block: blockField.nullish().describe(`Default: 1,000 blocks before to_block. At most ${maxLogBlocks} blocks.`),
  to_block: blockField.nullish().describe('Default: latest.'),
  limit: z
    .int('must be a whole number')
    .min(1, 'must be 1 or more')
    .max(maxLogs, `must be at most ${maxLogs}`)
    .nullish()
    .describe(`Number of logs to return. Default ${defaultLogs}.`),
})

export function registerEvmTools(server: McpServer, { node, context }: EvmToolParts): void {
  const annotations = readingOpenWorld
  registerTool(server, context, {
    name: 'evm_rpc',
    title: 'Call an EVM node',
    schema: rpcSchema,
    annotations,
    description:
      'Calls a read-only JSON-RPC method of a Flow EVM node: blocks, transactions, receipts, code, storage, gas. ' +
      'Prefer evm_getBalance, evm_call and evm_getLogs where they fit.',
    run: ({ method, params }, signal) => callMethod(node, method, params ?? [], signal),
  })
  registerTool(server, context, {
    name: 'evm_getBalance',
    title: 'Read an EVM balance',
    schema: balanceSchema,
    annotations,
    description: 'Reads the exact FLOW balance of an EVM address, in FLOW and in wei.',
    run: async ({ address, block }, signal) => {
      const wei = quantityOf(await node.call('eth_getBalance', [address, blockParameter(block)], signal))
      return toolResult({
        address: address.toLowerCase(),
        block: String(block ?? 'latest'),
        flow: flowText(wei),
        wei: wei.toString(),
        hex: toHex(wei),
      })
    },
  })
  registerTool(server, context, {
    name: 'evm_call',
    title: 'Read from an EVM contract',
    schema: callSchema,
    annotations,
    description:
      'Calls a function of an EVM contract without changing state, by signature and arguments or by raw data, and ' +
      'decodes the result. Token amounts are integers: divide by 10^decimals().',
    run: (input, signal) => callContract(node, input, signal),
  })
  registerTool(server, context, {
    name: 'evm_getLogs',
    title: 'Find logs of EVM contracts',
    schema: logsSchema,
    annotations,
    description:
      `Finds logs by contract, event or topics, in a range of at most ${maxLogBlocks} blocks. \`truncated\` is true ` +
      'if there are more logs than returned.',
    run: (input, signal) => findLogs(node, input, signal),
  })
}

type ToolResult = ReturnType<typeof toolResult>

async function callMethod(
  node: RpcNode,
  method: string,
  params: readonly unknown[],
  signal: AbortSignal,
): Promise<ToolResult> {
  requireReading(method, params)
  const checked = method === 'eth_getLogs' ? [await checkedFilter(node, params[0], signal)] : params
  const result = await node.call(method, checked, signal)
  const text = JSON.stringify(result)
  if (text.length > maxTextCharacters) {
    const cut = text.slice(0, maxTextCharacters)
    return toolResult(
      { method, result_text: cut, truncated: true },
      `${cut}\n[truncated: ${text.length - cut.length} more characters; request less]`,
    )
  }
  return toolResult({
    method,
    result,
    ...(isQuantity(method) ? { decimal: quantityOf(result).toString() } : {}),
    truncated: false,
  })
}

const filterSchema = z.looseObject(
  {
    fromBlock: blockField.nullish(),
    toBlock: blockField.nullish(),
    blockHash: z
      .string()
      .regex(/^0x[0-9a-fA-F]{64}$/)
      .optional(),
  },
  'must be a filter object',
)

async function checkedFilter(node: RpcNode, filter: unknown, signal: AbortSignal): Promise<Record<string, unknown>> {
  const read = filterSchema.safeParse(filter)
  if (!read.success)
    throw new ApiError(
      400,
      'bad-params',
      'Invalid params: eth_getLogs takes a filter object with fromBlock, toBlock, address and topics.',
      { field: 'params' },
    )
  if (read.data.blockHash !== undefined) return read.data
  const { from, to } = await logRange(read.data.fromBlock ?? undefined, read.data.toBlock ?? undefined, node, signal)
  return { ...read.data, fromBlock: toHex(from), toBlock: toHex(to) }
}

async function callContract(
  node: RpcNode,
  { to, signature: declared, args, data, from, value, block }: z.output<typeof callSchema>,
  signal: AbortSignal,
): Promise<ToolResult> {
  const hasSignature = declared !== null && declared !== undefined
  const hasData = data !== null && data !== undefined
  if (hasSignature === hasData)
    throw new ApiError(400, 'no-function', 'No function given. Pass either signature with args, or data.', {
      field: 'signature',
    })
  const signature = hasSignature ? readSignature(declared, 'signature') : undefined
  const input =
    signature === undefined
      ? data
      : `0x${signature.hash.slice(0, 8)}${encodeArguments(signature.inputs, args ?? [], 'args').toString('hex')}`
  const call = {
    to,
    data: input,
    ...(isPresent(from) ? { from } : {}),
    ...(isPresent(value) ? { value: toHex(BigInt(value)) } : {}),
  }
  const answer = await node.call('eth_call', [call, blockParameter(block)], signal).catch((error: unknown) => {
    throw error instanceof NodeRefusal ? asRevert(error) : error
  })
  const bytes = hexField.safeParse(answer)
  if (!bytes.success)
    throw new ApiError(502, 'node-failed', 'The EVM node returned an invalid result: not hex, or more than 64 KB.')
  return toolResult({
    to: to.toLowerCase(),
    block: String(block ?? 'latest'),
    data: bytes.data,
    ...(signature === undefined ? {} : returnedBy(signature, bytes.data)),
  })
}

function asRevert(error: NodeRefusal): ApiError {
  if (error.data === undefined || error.data === '0x') return error
  const reason = revertReason(error.data)
  return new ApiError(
    400,
    'call-reverted',
    `The call reverted${reason === undefined ? '' : `: ${reason}`}. (${error.message})`,
  )
}

function returnedBy(
  { canonical, outputs }: Signature,
  data: string,
): { readonly function: string; readonly returned: readonly PresentedValue[] | null; readonly note: string | null } {
  const call = { function: canonical, returned: null }
  if (data === '0x' && outputs?.length !== 0)
    return { ...call, note: 'Empty result: no contract at this address, or it has no such function.' }
  if (outputs === undefined)
    return { ...call, note: 'The signature has no return types: add returns (…) to decode the result.' }
  const values = decodeValues(
    outputs.map(({ type }) => type),
    Buffer.from(data.slice(2), 'hex'),
  )
  if (values === undefined) return { ...call, note: 'The result does not match the return types of the signature.' }
  return { ...call, returned: outputs.map((parameter, i) => showValue(parameter, values[i] ?? '')), note: null }
}

async function findLogs(
  node: RpcNode,
  { address, event: declared, topics, from_block, to_block, limit }: z.output<typeof logsSchema>,
  signal: AbortSignal,
): Promise<ToolResult> {
  const event = isPresent(declared) ? readSignature(declared, 'event') : undefined
  const filterTopics = [...(topics ?? [])]
  if (event !== undefined) filterTopics[0] = `0x${event.hash}`
  if (!isPresent(address) && filterTopics.every((topic) => topic === null)) {
    throw new ApiError(400, 'no-filter', 'No filter given. Pass an address, an event or topics.', {
      field: 'address',
    })
  }
  const range = await logRange(from_block ?? undefined, to_block ?? undefined, node, signal)
  const filter = {
    fromBlock: toHex(range.from),
    toBlock: toHex(range.to),
    ...(isPresent(address) ? { address } : {}),
    ...(filterTopics.length > 0 ? { topics: filterTopics } : {}),
  }
  const { logs, count } = readLogs(await node.call('eth_getLogs', [filter], signal), limit ?? defaultLogs, event)
  return toolResult({ from_block: range.from, to_block: range.to, count, truncated: count > logs.length, logs })
}
