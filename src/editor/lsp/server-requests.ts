import { isObject, rpcCodes } from './json-rpc.ts'
import type { RpcErrorBody } from './json-rpc.ts'

/** What a language server asks of its client is answered here, for all clients: one of them cannot speak for the others. */
export type RequestAnswer = { readonly result: unknown } | { readonly error: RpcErrorBody }

/** The answer to a request of the language server. */
export function answerOf(method: string, params: unknown): RequestAnswer {
  switch (method) {
    case 'workspace/configuration': {
      const items = isObject(params) && Array.isArray(params['items']) ? (params['items'] as unknown[]) : []
      return { result: items.map(() => null) }
    }
    case 'workspace/applyEdit':
      return { result: { applied: false, failureReason: 'Edits are made by commands of the editor alone.' } }
    case 'window/showDocument':
      return { result: { success: false } }
    case 'client/registerCapability':
    case 'client/unregisterCapability':
    case 'window/workDoneProgress/create':
    case 'window/showMessageRequest':
    case 'workspace/workspaceFolders':
      return { result: null }
    default:
      return /^workspace\/\w+\/refresh$/.test(method)
        ? { result: null }
        : { error: { code: rpcCodes.methodNotFound, message: `There is no ${method.slice(0, 100)} here.` } }
  }
}
