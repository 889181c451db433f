import { ApiError } from '../../../platform/errors.ts'

/** Methods of JSON-RPC that read, with how many parameters each has at most. No other is called. */
const methods = {
  eth_blockNumber: 0,
  eth_chainId: 0,
  eth_gasPrice: 0,
  net_version: 0,
  web3_clientVersion: 0,
  eth_getBalance: 2,
  eth_getCode: 2,
  eth_getTransactionCount: 2,
  eth_getStorageAt: 3,
  eth_call: 2,
  eth_estimateGas: 2,
  eth_getTransactionByHash: 1,
  eth_getTransactionReceipt: 1,
  eth_getBlockByNumber: 2,
  eth_getBlockByHash: 2,
  eth_getLogs: 1,
  eth_feeHistory: 3,
} as const satisfies Record<string, number>

/** Their answers are numbers in hex. */
const quantities: ReadonlySet<string> = new Set([
  'eth_blockNumber',
  'eth_chainId',
  'eth_gasPrice',
  'eth_getBalance',
  'eth_getTransactionCount',
  'eth_estimateGas',
])

/** Blocks of one `eth_feeHistory`. */
const mostFeeBlocks = 1024

export const readMethods: readonly string[] = Object.keys(methods)

/** @throws ApiError 400 `method-not-allowed`, `bad-params` */
export function requireReading(method: string, params: readonly unknown[]): void {
  const most = Object.hasOwn(methods, method) ? methods[method as keyof typeof methods] : undefined
  if (most === undefined)
    throw new ApiError(400, 'method-not-allowed', `The method is none of those that read: ${readMethods.join(', ')}.`, {
      field: 'method',
    })
  if (params.length > most)
    throw new ApiError(400, 'bad-params', `${method} has at most ${most} parameters here.`, { field: 'params' })
  if (method === 'eth_feeHistory' && !(Number(params[0]) <= mostFeeBlocks)) {
    throw new ApiError(
      400,
      'bad-params',
      `The first parameter of eth_feeHistory is a number of blocks, at most ${mostFeeBlocks}.`,
      { field: 'params' },
    )
  }
}

export function isQuantity(method: string): boolean {
  return quantities.has(method)
}
