import type { SaveRequest } from '../contract.ts'
import { fileChanges } from '../project/file-changes.ts'
import { isImported } from '../project/project-state.ts'
import type { ProjectState } from '../project/project-state.ts'

/** What the service has to be told of a project: of its files only what changed. @param saveId by which it knows a request that it had already */
export function saveRequest(
  { saved, name, network, isPublic, folders, files, open, active, forkedFrom }: ProjectState,
  saveId: string,
): SaveRequest {
  const changes = fileChanges(saved?.files ?? new Map<string, string>(), files)
  return {
    save_id: saveId,
    ...(saved === undefined
      ? forkedFrom === undefined
        ? {}
        : { forked_from: forkedFrom.slug }
      : { id: saved.id, version: saved.version }),
    name,
    network,
    is_public: isPublic,
    active_file: active === undefined || isImported(active) ? null : active,
    open_files: open.filter((path) => !isImported(path)),
    folders,
    files: changes.files,
    deleted_files: changes.deleted,
  }
}
