import { createHash } from 'node:crypto'
import type pg from 'pg'
import { z } from 'zod'
import { editorNetworks } from '../editor-network.ts'
import type { EditorNetwork } from '../editor-network.ts'
import { projectError } from './project-error.ts'
import { checkPath, pathKey, pathRules, invalidPath } from './project-paths.ts'
import type { ProjectQuotas } from './project-quotas.ts'
import type { LockUser } from '../../platform/auth/authenticate.ts'
import { ApiError } from '../../platform/errors.ts'
import { parseBody } from '../../platform/http/parse-input.ts'

export interface ProjectParts {
  readonly pool: pg.Pool
  readonly quotas: ProjectQuotas
  readonly lockUser: LockUser
}

export interface OpenCall {
  /** Undefined: not signed in. */
  readonly userId: string | undefined
  readonly data: unknown
  readonly parts: ProjectParts
}

export interface SessionCall extends OpenCall {
  readonly userId: string
}

export type Endpoint =
  | { readonly access: 'open'; readonly kind: 'read' | 'write'; readonly run: (call: OpenCall) => Promise<unknown> }
  | {
      readonly access: 'session'
      readonly kind: 'read' | 'write'
      readonly run: (call: SessionCall) => Promise<unknown>
    }

export const projectId = z.uuid('must be the id of a project, a UUID')

/** Allows to repeat a save safely. */
export const saveId = z.uuid('must be a UUID').transform((id) => id.toLowerCase())

export const slug = z
  .string()
  .min(1)
  .max(80)
  .regex(/^[a-z0-9-]*$/, 'must be a slug: a-z, 0-9 and dashes')

export const version = z.number().int('must be a whole number').min(1).max(2_147_483_647)

const network = z.enum(editorNetworks, `must be one of ${editorNetworks.join(', ')}`)

/** Emoji joiners are allowed; direction-changing characters are not. */
export const projectName = z
  .string()
  .trim()
  .min(1, 'is empty; give a name')
  .max(100)
  .regex(
    /^[^\p{Cc}\p{Cs}\p{Zl}\p{Zp}\p{Noncharacter_Code_Point}\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]*$/u,
    'contains invisible characters',
  )
  .regex(/[\p{L}\p{N}\p{P}\p{S}]/u, 'has no visible character; enter a name')

/** @throws ApiError 400 `INVALID_INPUT` */
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

export interface FileInput {
  readonly path: string
  readonly key: string
  readonly content: string
  /** SHA-256. */
  readonly hash: Buffer
  readonly bytes: number
}

export interface ProjectInput {
  readonly name?: string | undefined
  readonly network?: EditorNetwork | undefined
  readonly is_public?: boolean | undefined
  readonly active_file?: string | null | undefined
  readonly side_file?: string | null | undefined
  readonly open_files?: readonly string[] | undefined
  readonly folders?: readonly string[] | undefined
}

export interface SaveRequest {
  /** Undefined: a new project. */
  readonly existing: { readonly id: string; readonly version: number } | undefined
  readonly saveId: string | undefined
  /** Slug of the original. */
  readonly forkedFrom: string | undefined
  readonly fields: ProjectInput
  readonly files: readonly FileInput[]
  readonly deletedFiles: readonly string[]
  readonly digest: Buffer
}

/** Quotas are checked later. */
const maxPaths = 10_000

const tab = z.string().max(1000)
const paths = z
  .array(
    z
      .string()
      .max(pathRules.maxBytes, `must have at most ${pathRules.maxBytes} bytes`)
      .refine((path) => path.isWellFormed() && !path.includes('\0'), 'is not valid text'),
  )
  .max(maxPaths)

const saveInput = z.strictObject({
  id: projectId.transform((id) => id.toLowerCase()).optional(),
  version: version.optional(),
  save_id: saveId.optional(),
  name: projectName.optional(),
  // The server chooses the slug, because links use it.
  slug: slug.optional(),
  forked_from: slug.optional(),
  network: network.optional(),
  is_public: z.boolean().optional(),
  active_file: tab.nullable().optional(),
  side_file: tab.nullable().optional(),
  open_files: z.array(tab).max(1000).optional(),
  folders: z.array(z.string()).max(maxPaths).optional(),
  files: z
    .array(z.object({ path: z.string(), content: z.string() }))
    .max(maxPaths)
    .default([]),
  deleted_files: paths.default([]),
})

/** @throws ApiError 400 `INVALID_INPUT`, 422 `INVALID_PATH` or `INVALID_TEXT` */
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
  if (id === undefined && fields.name === undefined) throw wrong('name', 'is required for a new project')
  if (id !== undefined && from === undefined)
    throw wrong('version', 'is required: the version that the save is based on')
  if (id === undefined && from !== undefined) throw wrong('id', 'is required with "version"; a new project has neither')
  if (id !== undefined && forkedFrom !== undefined) throw wrong('forked_from', 'is only for new projects; remove it')
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

function readFile({ path, content }: { readonly path: string; readonly content: string }): FileInput {
  requirePath(path)
  if (content.includes('\0')) throw invalidText(path, 'a NUL character')
  if (!content.isWellFormed()) throw invalidText(path, 'a lone surrogate')
  return { path, key: pathKey(path), content, hash: sha256(content), bytes: Buffer.byteLength(content) }
}

function requirePath(path: string): void {
  const problem = checkPath(path)
  if (problem !== undefined) throw invalidPath(problem)
}

function requireEachOnce(files: readonly FileInput[], deletedFiles: readonly string[]): void {
  const seen = new Map<string, string>()
  for (const { path, key } of files) {
    const other = seen.get(key)
    const text = other === path ? 'appears twice; send it once' : `is too similar to ${other}; choose another name`
    if (other !== undefined) throw invalidPath({ path, rule: 'same-path', text })
    seen.set(key, path)
  }
  const written = new Set(seen.values())
  const both = deletedFiles.find((path) => written.has(path))
  if (both !== undefined)
    throw invalidPath({
      path: both,
      rule: 'same-path',
      text: 'is in both "files" and "deleted_files"; use only one',
    })
}

function wrong(field: string, text: string): Error {
  return projectError('INVALID_INPUT', `Field "${field}" ${text}.`, { field, facts: { field } })
}

function invalidText(path: string, what: string): Error {
  return projectError('INVALID_TEXT', `File ${path} contains ${what}; files must be text.`, { facts: { path } })
}

function sha256(text: string): Buffer {
  return createHash('sha256').update(text, 'utf8').digest()
}
