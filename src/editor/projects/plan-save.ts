import { invalidPath, ProjectTree } from './project-paths.ts'
import { requireQuota } from './project-quotas.ts'
import type { ProjectQuotas } from './project-quotas.ts'
import type { FileInput, SaveRequest } from './project-requests.ts'

export interface StoredFile {
  readonly path: string
  readonly key: string
  readonly hash: Buffer
  readonly bytes: number
}

/** Empty for a new project. */
interface Stored {
  readonly files: readonly StoredFile[]
  readonly folders: readonly string[]
}

export interface SavePlan {
  readonly written: readonly FileInput[]
  readonly deletedKeys: readonly string[]
  readonly fileCount: number
  readonly byteCount: number
  readonly paths: ReadonlySet<string>
  readonly folders: readonly string[]
}

/** Other files stay. @throws ApiError 422 `INVALID_PATH` for conflicting paths, `QUOTA_EXCEEDED` */
export function planSave(
  stored: Stored,
  request: Pick<SaveRequest, 'files' | 'deletedFiles' | 'fields'>,
  quotas: ProjectQuotas,
): SavePlan {
  const deletedPaths = new Set(request.deletedFiles)
  const deleted = stored.files.filter(({ path }) => deletedPaths.has(path))
  const kept = stored.files.filter(({ path }) => !deletedPaths.has(path))
  requireFit(kept, request, stored.folders)

  const after = new Map<string, { readonly path: string; readonly bytes: number }>(
    [...kept, ...request.files].map((file) => [file.key, file]),
  )
  const before = new Map(stored.files.map((file) => [file.key, file]))
  const written = request.files.filter(({ key, path, hash }) => {
    const old = before.get(key)
    return old === undefined || old.path !== path || !old.hash.equals(hash)
  })
  for (const { key, path, bytes } of written)
    requireQuota(quotas, 'fileBytes', bytes, { before: before.get(key)?.bytes ?? 0, path })
  const byteCount = sum(after.values())
  requireQuota(quotas, 'files', after.size, { before: stored.files.length })
  requireQuota(quotas, 'projectBytes', byteCount, { before: sum(stored.files) })
  const folders = request.fields.folders === undefined ? stored.folders : [...new Set(request.fields.folders)]
  requireQuota(quotas, 'folders', folders.length, { before: stored.folders.length })
  return {
    written,
    deletedKeys: deleted.map(({ key }) => key).filter((key) => !after.has(key)),
    fileCount: after.size,
    byteCount,
    paths: new Set([...after.values()].map(({ path }) => path)),
    folders,
  }
}

function requireFit(
  kept: readonly StoredFile[],
  { files, fields }: Pick<SaveRequest, 'files' | 'fields'>,
  folders: readonly string[],
): void {
  const tree = new ProjectTree()
  for (const { path } of kept) tree.keepFile(path)
  if (fields.folders === undefined) for (const folder of folders) tree.keepFolder(folder)
  for (const problem of [
    ...files.map(({ path }) => tree.addFile(path)),
    ...(fields.folders ?? []).map((folder) => tree.addFolder(folder)),
  ]) {
    if (problem !== undefined) throw invalidPath(problem)
  }
}

function sum(files: Iterable<{ readonly bytes: number }>): number {
  let bytes = 0
  for (const file of files) bytes += file.bytes
  return bytes
}
