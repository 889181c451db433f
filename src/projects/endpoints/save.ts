import { withRetriedTransaction } from '../../db/retried-transaction.ts'
import { planSave } from '../save/plan-save.ts'
import { readSave } from '../save/save-request.ts'
import type { SaveRequest } from '../save/save-request.ts'
import { createProject, lockAccount, requireRoomForOne } from '../store/create-project.ts'
import { findEarlierSave } from '../store/earlier-save.ts'
import type { NamedSave } from '../store/earlier-save.ts'
import type { SavedProject } from '../store/project-row.ts'
import { updateProject } from '../store/update-project.ts'
import type { ProjectParts, SessionCall } from './endpoint.ts'

/** `/projects/save`: makes a project, or writes into one; all of it or nothing. */
export async function save({ userId, data, parts }: SessionCall): Promise<SavedProject> {
  const request = readSave(data)
  const named = { userId, saveId: request.saveId, digest: request.digest }
  const { existing } = request
  const { pool, quotas } = parts
  if (existing === undefined) return await saveNew(parts, named, request)
  return await withRetriedTransaction(pool, (client) => updateProject(client, named, { ...request, existing }, quotas))
}

async function saveNew(
  { pool, quotas, holdUser }: ProjectParts,
  named: NamedSave,
  request: SaveRequest,
): Promise<SavedProject> {
  const plan = planSave({ files: [], folders: [] }, request, quotas)
  return await withRetriedTransaction(pool, async (client) => {
    await lockAccount(client, named.userId, holdUser)
    const earlier = await findEarlierSave(client, named)
    if (earlier !== undefined) return earlier
    await requireRoomForOne(client, named.userId, quotas)
    return await createProject(client, named, request, plan)
  })
}
