import { MCPClientError } from '@ai-sdk/mcp'
import { ReplyTooLarge } from '../../../platform/llm/provider-fetch.ts'

/** An MCP server that is not there as it should be. The message says why, in words for people that go on after "The tools of X: ". */
export class ConnectionFault extends Error {}

/** A tool that failed; the message is for the model, which may try something else. */
export class ToolFailed extends Error {}

/** Longest words of a server that are passed on. */
const mostWords = 2000

const codes: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'nothing listens at its address',
  ENOTFOUND: 'its name leads to no address',
  EAI_AGAIN: 'its name cannot be looked up now',
  ECONNRESET: 'it broke the connection',
  UND_ERR_SOCKET: 'it broke the connection',
  ETIMEDOUT: 'it does not answer',
  UND_ERR_CONNECT_TIMEOUT: 'it does not answer',
  EHOSTUNREACH: 'there is no way to its address',
  ENETUNREACH: 'there is no way to its address',
}

/** Why a server is not there, in words for people. Nothing that the server itself wrote is in them: they end up in the answer's notices and in the prompt. */
export function faultInWords(thrown: unknown): string {
  const error = rootOf(thrown)
  if (error instanceof ConnectionFault) return error.message
  if (error instanceof ReplyTooLarge) return 'it sends more than can be taken'
  const { statusCode } = MCPClientError.isInstance(error) ? error : {}
  if (statusCode === 401 || statusCode === 403) return `it wants a key, or another one (HTTP ${statusCode})`
  if (statusCode !== undefined) return `it answered HTTP ${statusCode}`
  if (isTimeout(error)) return 'it does not answer'
  for (let cause: unknown = error; cause instanceof Error; cause = cause.cause) {
    const words =
      'code' in cause && typeof cause.code === 'string' && Object.hasOwn(codes, cause.code)
        ? codes[cause.code]
        : undefined
    if (words !== undefined) return words
  }
  return error instanceof TypeError ? 'it cannot be reached' : 'what it says cannot be understood'
}

/** Whether the connection is at fault rather than the call: a new one may do better. */
export function isConnectionFault(thrown: unknown): boolean {
  const error = rootOf(thrown)
  if (!MCPClientError.isInstance(error)) return error instanceof TypeError || error instanceof ConnectionFault
  // 404: the session is not known any more, as after a restart.
  return error.statusCode === 404 || (error.code === undefined && /closed/i.test(error.message))
}

/** A call that went wrong, in words for the model. What the server itself says is data like any result. */
export function callFailed(thrown: unknown): ToolFailed {
  const error = rootOf(thrown)
  if (error instanceof ToolFailed) return error
  const isAnswer = MCPClientError.isInstance(error) && error.code !== undefined
  return new ToolFailed(isAnswer ? error.message.slice(0, mostWords) : callInWords(error), { cause: thrown })
}

function callInWords(error: unknown): string {
  if (isTimeout(error)) return 'The tool did not answer in time. Ask for less, or go on without it and say so.'
  return `The tool cannot be used now: ${faultInWords(error)}. Go on without it, and say so.`
}

function isTimeout(error: unknown): boolean {
  return MCPClientError.isInstance(error) && error.code === undefined && /timed out after/.test(error.message)
}

/** The client puts what it does not know into an error of its own. */
function rootOf(error: unknown): unknown {
  const isWrapped =
    MCPClientError.isInstance(error) &&
    error.code === undefined &&
    error.statusCode === undefined &&
    error.cause instanceof Error
  return isWrapped ? rootOf(error.cause) : error
}
