import { pathRules } from './project-paths.ts'
import { projectError } from './project-error.ts'

/** UTF-8 bytes. */
export interface ProjectQuotas {
  readonly projects: number
  readonly files: number
  readonly fileBytes: number
  readonly projectBytes: number
}

type QuotaName = keyof ProjectQuotas | 'folders'

const wireNames: Readonly<Record<QuotaName, string>> = {
  projects: 'projects',
  files: 'files',
  folders: 'folders',
  fileBytes: 'file_bytes',
  projectBytes: 'project_bytes',
}
const meanings: Readonly<Record<QuotaName, string>> = {
  projects: 'projects per user',
  files: 'files per project',
  folders: 'folders per project',
  fileBytes: 'bytes per file',
  projectBytes: 'bytes per project',
}

function maxOf(quotas: ProjectQuotas, name: QuotaName): number {
  return quotas[name === 'folders' ? 'files' : name]
}

/**
 * @param before may stay or shrink even above a lowered quota. @throws ApiError 422
 * `QUOTA_EXCEEDED`
 */
export function requireQuota(
  quotas: ProjectQuotas,
  name: QuotaName,
  requested: number,
  { before = 0, path }: { before?: number; path?: string } = {},
): void {
  const max = maxOf(quotas, name)
  if (requested <= max || requested <= before) return
  const subject = path === undefined ? 'this change makes' : `${path} has`
  throw projectError(
    'QUOTA_EXCEEDED',
    `Quota exceeded: ${subject} ${requested} (limit ${max} ${meanings[name]}). Delete or shrink something.`,
    {
      facts: { quota: wireNames[name], max, asked: requested, ...(path === undefined ? {} : { path }) },
    },
  )
}

interface ProjectLimits extends Record<string, unknown> {
  files: number
  file_bytes: number
  project_bytes: number
}

export function projectLimits(quotas: ProjectQuotas): ProjectLimits {
  const { maxBytes, maxSegmentBytes, maxSegments, reservedFolders, reservedNames, reservedCharacters } = pathRules
  return {
    projects: quotas.projects,
    files: quotas.files,
    folders: quotas.files,
    file_bytes: quotas.fileBytes,
    project_bytes: quotas.projectBytes,
    paths: {
      bytes: maxBytes,
      segment_bytes: maxSegmentBytes,
      segments: maxSegments,
      reserved_folders: reservedFolders,
      reserved_names: reservedNames,
      reserved_characters: reservedCharacters,
    },
  }
}

/** The project's bytes, half of them escaped, and the JSON around them. */
export function maxBodyBytes({ projectBytes }: ProjectQuotas): number {
  return 2 * projectBytes + 1_000_000
}
