import type { CallToolResult, JSONValue } from '@modelcontextprotocol/server'
import { ApiError } from '../../base/errors.ts'

/** A result as readers of text and readers of structures have it. @param text what is told as text, where that is less than all */
export function success(content: Record<string, unknown>, text: Record<string, unknown> = content): CallToolResult {
  return { content: [{ type: 'text', text: JSON.stringify(text) }], structuredContent: asJson(content) }
}

/**
 * A failure, told in both ways that clients look for: `isError`, and a text in `error` of the structure, which has all fields
 * that a good one has. Faults of ours say nothing of themselves.
 * @param rest the other fields of the structure
 */
export function failure(error: unknown, rest: Record<string, unknown>): CallToolResult {
  const { message, code } = tellable(error)
  const told = { error: message, error_code: code }
  return { content: [{ type: 'text', text: JSON.stringify(told) }], structuredContent: asJson({ ...rest, ...told }), isError: true }
}

/** What a caller may know of an error. */
export function tellable(error: unknown): { readonly message: string; readonly code: string } {
  return error instanceof ApiError
    ? { message: error.message, code: error.code }
    : { message: 'Something went wrong here; the log tells what.', code: 'internal-error' }
}

/** What is put in is made of JSON; that of the SDK is a type without `unknown`. */
function asJson(content: Record<string, unknown>): Record<string, JSONValue> {
  return content as Record<string, JSONValue>
}
