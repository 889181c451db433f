import type { CallToolResult, JSONValue } from '@modelcontextprotocol/server'
import { presentFailure } from '../../query/wire/present-failure.ts'
import type { QueryFailure } from '../../query/query-service.ts'

/** A result as readers of text and readers of structures have it. @param text what is told as text, where that is less than all */
export function success(content: Record<string, unknown>, text: Record<string, unknown> = content): CallToolResult {
  return { content: [{ type: 'text', text: JSON.stringify(text) }], structuredContent: asJson(content) }
}

/**
 * A failure, told in both ways that clients look for: `isError`, and a text in `error` of the structure.
 * @param content with all fields that a good result has, since old clients check it against the same schema
 */
export function failed(failure: QueryFailure, content: Record<string, unknown>): CallToolResult {
  const told = Object.entries(presentFailure(failure)).filter(([, value]) => value !== null)
  return {
    content: [{ type: 'text', text: JSON.stringify(Object.fromEntries(told)) }],
    structuredContent: asJson(content),
    isError: true,
  }
}

/** What is put in is made of JSON; that of the SDK is a type without `unknown`. */
function asJson(content: Record<string, unknown>): Record<string, JSONValue> {
  return content as Record<string, JSONValue>
}
