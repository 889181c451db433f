import type { McpServer } from '@modelcontextprotocol/server'
import { z } from 'zod'
import { ApiError } from '../../platform/errors.ts'
import { readingClosedWorld, registerTool, toolResult } from '../../platform/mcp/tool.ts'
import type { CallContext } from '../../platform/mcp/tool.ts'
import type { DocLibrary } from './doc-library.ts'

export interface DocToolParts {
  /** The current documents. */
  readonly library: () => Promise<DocLibrary>
  readonly context: CallContext
}

const maxFound = 20
const usualFound = 6
/** Characters of one call. */
const maxCharacters = 16_000

const searchSchema = z.strictObject({
  query: z
    .string('must be a text')
    .trim()
    .min(1, 'must not be empty')
    .max(500, 'must have at most 500 characters')
    .describe('What to look for, in English or Chinese: a few words.'),
  limit: z
    .int('must be a whole number')
    .min(1, 'must be 1 or more')
    .max(maxFound, `must be at most ${maxFound}`)
    .nullish()
    .describe(`How many places; ${usualFound} without it.`),
})
const idField = z
  .string('must be a text')
  .trim()
  .min(1, 'must not be empty')
  .max(300, 'must have at most 300 characters')
const getSchema = z.strictObject({
  id: idField.describe(
    'Id of a document or a section, as search_docs and browse_docs tell it: docs/api, skills/cadence#access.',
  ),
  offset: z
    .int('must be a whole number')
    .nonnegative('must not be negative')
    .nullish()
    .describe('Where to go on in a long text: next_offset of the call before.'),
})
const browseSchema = z.strictObject({
  id: idField.nullish().describe('A document whose sections are listed. Without it all documents are.'),
})

/** `search_docs`, `get_doc`, `browse_docs`: flowfarm's documentation. */
export function registerDocTools(server: McpServer, { library, context }: DocToolParts): void {
  registerTool(server, context, {
    name: 'search_docs',
    title: 'Search the documentation',
    schema: searchSchema,
    annotations: readingClosedWorld,
    description:
      'Searches the documentation that comes with flowfarm: Cadence and its scripts, tables and queries, the ' +
      'APIs, running it. Gives sections with a piece of their text; get_doc reads them.',
    run: async ({ query, limit }) => toolResult({ results: (await library()).search(query, limit ?? usualFound) }),
  })
  registerTool(server, context, {
    name: 'get_doc',
    title: 'Read the documentation',
    schema: getSchema,
    annotations: readingClosedWorld,
    description: `Reads a section or a document, as Markdown, up to ${maxCharacters} characters at a time.`,
    run: async ({ id, offset }) => readDoc(await library(), id, offset ?? 0),
  })
  registerTool(server, context, {
    name: 'browse_docs',
    title: 'List the documentation',
    schema: browseSchema,
    annotations: readingClosedWorld,
    description: 'Lists the documents, or the sections of one, with their ids for get_doc.',
    run: async ({ id }) => browse(await library(), id ?? undefined),
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
    { id, title: found.title, text, next_offset: next, characters: found.text.length },
    `${text}${rest}`,
  )
}

/** @throws ApiError 404 `no-such-document` */
function browse(library: DocLibrary, id: string | undefined): ReturnType<typeof toolResult> {
  if (id === undefined) return toolResult({ documents: library.documents() })
  const sections = library.contents(id)
  if (sections === undefined) throw noSuchDocument(library, id)
  return toolResult({ id, sections })
}

function noSuchDocument(library: DocLibrary, id: string): ApiError {
  const near = library.nearest(id)
  const hint =
    near.length === 0 ? 'browse_docs lists all of them.' : `Near it are ${near.join(', ')}; browse_docs lists all.`
  return new ApiError(404, 'no-such-document', `There is no document ${id}. ${hint}`, { field: 'id' })
}
