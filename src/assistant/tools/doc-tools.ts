import type { McpServer } from '@modelcontextprotocol/server'
import { z } from 'zod'
import { ApiError } from '../../platform/errors.ts'
import {
  advertised,
  failedWith,
  failureFields,
  noFailure,
  readingClosedWorld,
  registerTool,
  toolResult,
} from '../../platform/mcp/tool.ts'
import type { CallContext } from '../../platform/mcp/tool.ts'
import type { DocLibrary } from './doc-library.ts'

export interface DocToolParts {
  readonly library: () => Promise<DocLibrary>
  readonly context: CallContext
}

const maxFound = 20
const defaultFound = 6
const maxCharacters = 16_000

const searchSchema = z.strictObject({
  query: z
    .string('must be a string')
    .trim()
    .min(1, 'must not be empty')
    .max(500, 'must have at most 500 characters')
    .describe('A few keywords, in English or Chinese.'),
  limit: z
    .int('must be a whole number')
    .min(1, 'must be 1 or more')
    .max(maxFound, `must be at most ${maxFound}`)
    .nullish()
    .describe(`Number of results. Default ${defaultFound}.`),
})
const idField = z
  .string('must be a string')
  .trim()
  .min(1, 'must not be empty')
  .max(300, 'must have at most 300 characters')
const getSchema = z.strictObject({
  id: idField.describe(
    'Id of a document or section, from search_docs or browse_docs: docs/api, skills/cadence#access.',
  ),
  offset: z
    .int('must be a whole number')
    .nonnegative('must not be negative')
    .nullish()
    .describe('Offset in a long text: next_offset of the previous call.'),
})
const browseSchema = z.strictObject({
  id: idField.nullish().describe('Document whose sections to list. Default: list all documents.'),
})

const searchOutput = advertised(
  z.object({
    results: z.array(
      z.object({
        id: z.string().describe('For get_doc.'),
        title: z.string(),
        above: z.array(z.string()).describe('Titles of the sections that contain it.'),
        snippet: z.string(),
      }),
    ),
    ...failureFields,
  }),
)
const getOutput = advertised(
  z.object({
    id: z.string(),
    title: z.string(),
    text: z.string().describe('Markdown.'),
    next_offset: z.int().nullable().describe('Offset of the rest; null at the end.'),
    characters: z.int().describe('Length of the whole text.'),
    ...failureFields,
  }),
)
const browseOutput = advertised(
  z.object({
    documents: z
      .array(
        z.object({
          id: z.string(),
          title: z.string(),
          summary: z.string(),
          sections: z.int(),
          characters: z.int(),
        }),
      )
      .describe('All documents, without an id.'),
    sections: z
      .array(z.object({ id: z.string(), title: z.string(), level: z.int(), characters: z.int() }))
      .describe('Sections of the document with the id.'),
    ...failureFields,
  }),
)

export function registerDocTools(server: McpServer, { library, context }: DocToolParts): void {
  registerTool(server, context, {
    name: 'search_docs',
    title: 'Search the documentation',
    schema: searchSchema,
    output: searchOutput,
    annotations: readingClosedWorld,
    description:
      'Searches the flowfarm documentation: Cadence and scripts, tables and queries, APIs, operations. Returns ' +
      'sections with a snippet; read them with get_doc.',
    run: async ({ query, limit }) =>
      toolResult({ results: (await library()).search(query, limit ?? defaultFound), ...noFailure }),
    failed: failedWith({ results: [] }),
  })
  registerTool(server, context, {
    name: 'get_doc',
    title: 'Read the documentation',
    schema: getSchema,
    output: getOutput,
    annotations: readingClosedWorld,
    description: `Reads a section or a document as Markdown, up to ${maxCharacters} characters at a time.`,
    run: async ({ id, offset }) => readDoc(await library(), id, offset ?? 0),
    failed: failedWith({ id: '', title: '', text: '', next_offset: null, characters: 0 }),
  })
  registerTool(server, context, {
    name: 'browse_docs',
    title: 'List the documentation',
    schema: browseSchema,
    output: browseOutput,
    annotations: readingClosedWorld,
    description: 'Lists all documents, or the sections of one document, with their ids for get_doc.',
    run: async ({ id }) => browse(await library(), id ?? undefined),
    failed: failedWith({ documents: [], sections: [] }),
  })
}

/** @throws ApiError 404 `no-such-document` */
function readDoc(library: DocLibrary, id: string, offset: number): ReturnType<typeof toolResult> {
  const found = library.read(id)
  if (found === undefined) throw noSuchDocument(library, id)
  const text = found.text.slice(offset, offset + maxCharacters)
  const next = offset + text.length < found.text.length ? offset + text.length : null
  const rest =
    next === null ? '' : `\n\n[${found.text.length - next} more characters: call get_doc with offset ${next}]`
  return toolResult(
    { id, title: found.title, text, next_offset: next, characters: found.text.length, ...noFailure },
    `${text}${rest}`,
  )
}

/** @throws ApiError 404 `no-such-document` */
function browse(library: DocLibrary, id: string | undefined): ReturnType<typeof toolResult> {
  if (id === undefined) return toolResult({ documents: library.documents(), sections: [], ...noFailure })
  const sections = library.contents(id)
  if (sections === undefined) throw noSuchDocument(library, id)
  return toolResult({ documents: [], sections, ...noFailure })
}

function noSuchDocument(library: DocLibrary, id: string): ApiError {
  const near = library.nearest(id)
  const hint = near.length === 0 ? '' : `Similar: ${near.join(', ')}. `
  return new ApiError(404, 'no-such-document', `No such document: ${id}. ${hint}List all with browse_docs.`, {
    field: 'id',
  })
}
