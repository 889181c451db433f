import { pathRules } from './project-paths.ts'
import { projectError } from './project-error.ts'

/** PROJECTS_PER_USER, PROJECT_FILES, PROJECT_FILE_BYTES, PROJECT_BYTES; bytes of UTF-8. */
export interface ProjectQuotas {
  readonly projects: number
  readonly files: number
  readonly fileBytes: number
  readonly projectBytes: number
}

/** Folders may be as many as files. */
type QuotaName = keyof ProjectQuotas | 'folders'

const wireNames: Readonly<Record<QuotaName, string>> = {
  projects: 'projects',
  files: 'files',
  folders: 'folders',
  fileBytes: 'file_bytes',
  projectBytes: 'project_bytes',
}
const meanings: Readonly<Record<QuotaName, string>> = {
  projects: 'projects of one user',
  files: 'files of one project',
  folders: 'folders of one project',
  fileBytes: 'bytes of one file',
  projectBytes: 'bytes of all files of one project',
}

function maxOf(quotas: ProjectQuotas, name: QuotaName): number {
  return quotas[name === 'folders' ? 'files' : name]
}

/**
 * Refuses what would be more than a quota.
 * @param asked what there would be
 * @param before what there is: it may stay and shrink, also where the quota was lowered meanwhile
 * @throws ApiError 422 `QUOTA_EXCEEDED`
 */
export function requireRoom(
  quotas: ProjectQuotas,
  name: QuotaName,
  asked: number,
  { before = 0, path }: { before?: number; path?: string } = {},
): void {
  const max = maxOf(quotas, name)
  if (asked <= max || asked <= before) return
  const subject = path === undefined ? 'this would make' : `${path} has`
  throw projectError(
    'QUOTA_EXCEEDED',
    `There may be ${max} ${meanings[name]}; ${subject} ${asked}. Delete some, or make it smaller.`,
    {
      facts: { quota: wireNames[name], max, asked, ...(path === undefined ? {} : { path }) },
    },
  )
}

interface ProjectLimits extends Record<string, unknown> {
  files: number
  file_bytes: number
  project_bytes: number
}

/** The limits as pages are told them, so that they can say what is wrong while people type. */
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

/** The largest body: the project's bytes, half of them escaped, and the JSON around them. */
export function maxBodyBytes({ projectBytes }: ProjectQuotas): number {
  return 2 * projectBytes + 1_000_000
}
