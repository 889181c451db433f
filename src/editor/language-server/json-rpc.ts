export type RpcId = number | string

export interface RpcErrorBody {
  readonly code: number
  readonly message: string
  readonly data?: unknown
}

type RpcMessage =
  | { readonly kind: 'request'; readonly id: RpcId; readonly method: string; readonly params: unknown }
  | { readonly kind: 'notification'; readonly method: string; readonly params: unknown }
  | { readonly kind: 'response'; readonly id: RpcId | null; readonly result?: unknown; readonly error?: RpcErrorBody }
  | { readonly kind: 'invalid'; readonly id: RpcId | null; readonly why: string }

/** JSON-RPC and LSP 3.17. */
export const rpcCodes = {
  parseError: -32_700,
  invalidRequest: -32_600,
  methodNotFound: -32_601,
  invalidParams: -32_602,
  internalError: -32_603,
  serverNotInitialized: -32_002,
  requestCancelled: -32_800,
  /** The client may retry. */
  serverCancelled: -32_802,
  requestFailed: -32_803,
} as const

const maxNameLength = 256

export class RpcFailure extends Error {
  readonly code: number
  readonly data: unknown

  constructor(code: number, message: string, data?: unknown) {
    super(message)
    this.name = 'RpcFailure'
    this.code = code
    this.data = data
  }
}

export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

export function rpcMessageOf(value: unknown): RpcMessage {
  if (!isObject(value))
    return { kind: 'invalid', id: null, why: 'A message must be a JSON object; batches are not supported.' }
  const { id, method, params } = value
  const hasId = isId(id)
  if ('id' in value && id !== null && !hasId) {
    return {
      kind: 'invalid',
      id: null,
      why: `id must be a number up to ${Number.MAX_SAFE_INTEGER} or a text of at most ${maxNameLength} characters.`,
    }
  }
  if (method === undefined && ('result' in value || 'error' in value)) {
    const { result, error } = value
    if (error === undefined || error === null) return { kind: 'response', id: hasId ? id : null, result }
    return { kind: 'response', id: hasId ? id : null, error: errorBodyOf(error) }
  }
  if (typeof method !== 'string' || method.length === 0 || method.length > maxNameLength) {
    return { kind: 'invalid', id: hasId ? id : null, why: 'method must be the name of an LSP method.' }
  }
  return hasId ? { kind: 'request', id, method, params } : { kind: 'notification', method, params }
}

export function requestText(id: RpcId, method: string, params: unknown): string {
  return JSON.stringify({ jsonrpc: '2.0', id, method, ...(params === undefined ? {} : { params }) })
}

export function notificationText(method: string, params: unknown): string {
  return JSON.stringify({ jsonrpc: '2.0', method, ...(params === undefined ? {} : { params }) })
}

export function resultText(id: RpcId, result: unknown): string {
  return JSON.stringify({ jsonrpc: '2.0', id, result: result ?? null })
}

export function errorText(id: RpcId | null, { code, message, data }: RpcErrorBody): string {
  return JSON.stringify({ jsonrpc: '2.0', id, error: { code, message, ...(data === undefined ? {} : { data }) } })
}

function isId(id: unknown): id is RpcId {
  // A larger number would lose precision.
  return (
    (typeof id === 'number' && Math.abs(id) <= Number.MAX_SAFE_INTEGER) ||
    (typeof id === 'string' && id.length <= maxNameLength)
  )
}

function errorBodyOf(error: unknown): RpcErrorBody {
  if (!isObject(error)) return { code: rpcCodes.internalError, message: 'The language server returned an empty error.' }
  const { code, message, data } = error
  return {
    code: typeof code === 'number' ? code : rpcCodes.internalError,
    message: typeof message === 'string' ? message : 'The language server returned an error without a message.',
    ...(data === undefined ? {} : { data }),
  }
}
