import type { CallToolResult } from '@modelcontextprotocol/server'
import type { ApiError } from '../../platform/errors.ts'

/** A result as readers of text and readers of structures have it. @param text what a model reads, where that is not the JSON of all */
export function told(content: object, text = JSON.stringify(content)): CallToolResult {
  return { content: [{ type: 'text', text }], structuredContent: content }
}

/** A failure, as a result that the model can read. */
export function tellFailure({ message, code, field }: ApiError): CallToolResult {
  return { ...told({ error: message, error_code: code, ...(field === undefined ? {} : { field }) }), isError: true }
}
