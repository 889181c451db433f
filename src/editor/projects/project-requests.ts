import { createHash } from 'node:crypto'
import type pg from 'pg'
import { z } from 'zod'
import { editorNetworks } from '../editor-network.ts'
import type { EditorNetwork } from '../editor-network.ts'
import { projectError } from './project-error.ts'
import { checkPath, pathKey, pathRules, invalidPath } from './project-paths.ts'
import type { ProjectQuotas } from './project-quotas.ts'
import type { HoldUser } from '../../platform/auth/authenticate.ts'
import { ApiError } from '../../platform/errors.ts'
import { parseBody } from '../../platform/http/parse-input.ts'

/** What endpoints work with. */
export interface ProjectParts {
  readonly pool: pg.Pool
  readonly quotas: ProjectQuotas
  readonly holdUser: HoldUser
}

export interface OpenCall {
  /** Undefined: whoever asks has not signed in. */
  readonly userId: string | undefined
  /** Of the body, unread. */
  readonly data: unknown
  readonly parts: ProjectParts
}

export interface SessionCall extends OpenCall {
  readonly userId: string
}

/** One of the things that the projects function does. What `run` gives is the `data` of the answer. */
export type Endpoint =
  | { readonly access: 'open'; readonly kind: 'read' | 'write'; readonly run: (call: OpenCall) => Promise<unknown> }
  | {
      readonly access: 'session'
      readonly kind: 'read' | 'write'
      readonly run: (call: SessionCall) => Promise<unknown>
    }

/** Names a project towards its owner. */
export const projectId = z.uuid('has to be the id of a project, a UUID')

/** What a client calls one save, of its own choosing, to be able to send it again. */
export const saveId = z.uuid('has to be a UUID').transform((id) => id.toLowerCase())

/** As links have it. */
export const slug = z
  .string()
  .min(1)
  .max(80)
  .regex(/^[a-z0-9-]*$/, 'has to be a slug: a-z, 0-9 and dashes')

export const version = z.number().int('has to be a whole number').min(1).max(2_147_483_647)

const network = z.enum(editorNetworks, `has to be one of ${editorNetworks.join(', ')}`)

/** Joiners of emoji are allowed; characters that change the direction of the page are not. */
export const projectName = z
  .string()
  .trim()
  .min(1, 'is empty; give a name')
  .max(100)
  .regex(
    /^[^\p{Cc}\p{Cs}\p{Zl}\p{Zp}\p{Noncharacter_Code_Point}\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]*$/u,
    'has characters that cannot be shown',
  )
  .regex(/[\p{L}\p{N}\p{P}\p{S}]/u, 'has nothing that can be seen; give a name')

/** @throws ApiError 400 `INVALID_INPUT` that names the field */
export function readData<Schema extends z.ZodObject>(schema: Schema, data: unknown): z.output<Schema> {
  try {
    return parseBody(schema, data ?? {})
  } catch (error) {
    if (!(error instanceof ApiError)) throw error
    const { field } = error
    throw projectError('INVALID_INPUT', error.message, {
      cause: error,
      ...(field === undefined ? {} : { field, facts: { field } }),
    })
  }
}

/** A file as a save brings it. */
export interface GivenFile {
  readonly path: string
  readonly key: string
  readonly content: string
  /** SHA-256 of the content in UTF-8. */
  readonly hash: Buffer
  readonly bytes: number
}

/** What a save says of the project itself. Undefined: it stays as it is. */
export interface GivenFields {
  readonly name?: string | undefined
  readonly network?: EditorNetwork | undefined
  readonly is_public?: boolean | undefined
  readonly active_file?: string | null | undefined
  readonly open_files?: readonly string[] | undefined
  readonly folders?: readonly string[] | undefined
}

/** A save, checked as far as that can be done without the project. */
export interface SaveRequest {
  /** Undefined: a new project. */
  readonly existing: { readonly id: string; readonly version: number } | undefined
  readonly saveId: string | undefined
  /** Slug of what a new project is a copy of, that was made elsewhere than here. */
  readonly forkedFrom: string | undefined
  readonly fields: GivenFields
  readonly files: readonly GivenFile[]
  readonly deletedFiles: readonly string[]
  /** SHA-256 of all this. */
  readonly digest: Buffer
}

/** Far more than any quota; what a project may have is asked later. */
const maxPaths = 10_000

/** Of a tab: one that leads to nothing is left out later, so that it may be anything. */
const tab = z.string().max(1000)
const paths = z
  .array(
    z
      .string()
      .max(pathRules.maxBytes, `has to have at most ${pathRules.maxBytes} bytes`)
      .refine((path) => path.isWellFormed() && !path.includes('\0'), 'is no text that a path could be'),
  )
  .max(maxPaths)

const saveInput = z.strictObject({
  id: projectId.transform((id) => id.toLowerCase()).optional(),
  version: version.optional(),
  save_id: saveId.optional(),
  name: projectName.optional(),
  // What the server has chosen stays: links lead to it.
  slug: slug.optional(),
  forked_from: slug.optional(),
  network: network.optional(),
  is_public: z.boolean().optional(),
  active_file: tab.nullable().optional(),
  open_files: z.array(tab).max(1000).optional(),
  folders: z.array(z.string()).max(maxPaths).optional(),
  files: z
    .array(z.object({ path: z.string(), content: z.string() }))
    .max(maxPaths)
    .default([]),
  deleted_files: paths.default([]),
})

/** @throws ApiError 400 `INVALID_INPUT`, 422 `INVALID_PATH` or `INVALID_TEXT` that name the field or the path */
export function readSave(data: unknown): SaveRequest {
  const {
    id,
    version: from,
    save_id: named,
    slug: _,
    forked_from: forkedFrom,
    files: given,
    deleted_files: deletedFiles,
    ...fields
  } = readData(saveInput, data)
  if (id === undefined && fields.name === undefined) throw wrong('name', 'is missing: a new project needs a name')
  if (id !== undefined && from === undefined)
    throw wrong('version', 'is missing: it is the version that this save was made from')
  if (id === undefined && from !== undefined) throw wrong('id', 'has to come with "version"; a new project has neither')
  if (id !== undefined && forkedFrom !== undefined) throw wrong('forked_from', 'is for a new project; leave it out')
  for (const folder of fields.folders ?? []) requirePath(folder)
  const files = given.map(readFile)
  requireEachOnce(files, deletedFiles)
  return {
    existing: id === undefined || from === undefined ? undefined : { id, version: from },
    saveId: named,
    forkedFrom,
    fields,
    files,
    deletedFiles,
    digest: sha256(
      JSON.stringify([
        id,
        from,
        fields,
        deletedFiles,
        files.map(({ path, hash }) => [path, hash.toString('base64')]),
        ...(forkedFrom === undefined ? [] : [forkedFrom]),
      ]),
    ),
  }
}

function readFile({ path, content }: { readonly path: string; readonly content: string }): GivenFile {
  requirePath(path)
  if (content.includes('\0')) throw invalidText(path, 'a zero character, which the database does not take')
  if (!content.isWellFormed()) throw invalidText(path, 'half of a character (a lone surrogate)')
  return { path, key: pathKey(path), content, hash: sha256(content), bytes: Buffer.byteLength(content) }
}

function requirePath(path: string): void {
  const problem = checkPath(path)
  if (problem !== undefined) throw invalidPath(problem)
}

function requireEachOnce(files: readonly GivenFile[], deletedFiles: readonly string[]): void {
  const seen = new Map<string, string>()
  for (const { path, key } of files) {
    const other = seen.get(key)
    const text = other === path ? 'is there twice; send it once' : `is too much like ${other}; choose another name`
    if (other !== undefined) throw invalidPath({ path, rule: 'same-path', text })
    seen.set(key, path)
  }
  const written = new Set(seen.values())
  const both = deletedFiles.find((path) => written.has(path))
  if (both !== undefined)
    throw invalidPath({
      path: both,
      rule: 'same-path',
      text: 'is both in "files" and in "deleted_files"; do one of the two',
    })
}

function wrong(field: string, text: string): Error {
  return projectError('INVALID_INPUT', `Field "${field}" ${text}.`, { field, facts: { field } })
}

function invalidText(path: string, what: string): Error {
  return projectError('INVALID_TEXT', `File ${path} has ${what}; files are text.`, { facts: { path } })
}

function sha256(text: string): Buffer {
  return createHash('sha256').update(text, 'utf8').digest()
}
